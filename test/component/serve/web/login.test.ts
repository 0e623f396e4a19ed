/** Logging in: the cookie, what it may do, what ends it, and what does not get in. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Answer } from "../../../doubles/service-world.ts";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";
import { cookieOf, createWebClient, hidden, PAGE } from "../../../doubles/web-client.ts";

const TOKEN = "the-token-of-anna-000001";
const READ_TOKEN = "the-token-of-finance-01";

let world: ServiceWorld;

beforeAll(async () => {
  world = await createServiceWorld({
    sandbox: { sites: [] },
    config: {
      sites: [],
      serve: {
        host: "0.0.0.0",
        port: 0,
        trustProxy: true,
        tokens: [
          { name: "anna", token: TOKEN, can: "act" },
          { name: "finance", token: READ_TOKEN },
        ],
      },
    },
  });
});

afterAll(() => world.close());

const { look, send, ...browser } = createWebClient(() => world);
const logIn = (token = TOKEN) => browser.logIn(token);
const formTokenOf = (page: Answer) => hidden(page, "form");

describe("without a session", () => {
  it("leads to the login, and from there back to the page", async () => {
    const sent = await look("/log?limit=7");
    expect(sent).toMatchObject({ status: 303, headers: { location: "/login?next=%2Flog%3Flimit%3D7" } });
    const form = await look(String(sent.headers.location));
    expect(form.text).toContain('name="next" value="/log?limit=7"');
    expect(await send("/login", { token: TOKEN, next: "/log?limit=7" })).toMatchObject({
      status: 303,
      headers: { location: "/log?limit=7" },
    });
  });

  it("asks once more after a link of another site, because a browser leaves out the cookie then", async () => {
    const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    const page = await look("/log", link);
    expect(page.status).toBe(200);
    expect(page.text).toContain('http-equiv="refresh" content="0"');
    expect(page.text).not.toContain("Decisions");
    expect(await look("/log", { "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate" })).toMatchObject({
      status: 303,
    });
  });

  it.each([
    "//evil.example/",
    "https://evil.example/",
    "/\\evil.example",
    "javascript:alert(1)",
    "",
    "/login",
    "\\/evil.example",
    "/\t/evil.example",
  ])("never leads to %j after a login", async (next) => {
    const { headers } = await send("/login", { token: TOKEN, next });
    expect(headers.location).toBe("/");
  });
});

describe("a session", () => {
  it("is a cookie that scripts cannot read, that other sites cannot send, and that has no token in it", async () => {
    const { headers } = await send("/login", { token: TOKEN });
    const [cookie = ""] = headers["set-cookie"] ?? [];
    expect(cookie).toMatch(/^licet=[\w.-]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(TOKEN);
  });

  it("is of this host alone and needs TLS, behind a proxy that has TLS", async () => {
    const { headers } = await send("/login", { token: TOKEN }, { "x-forwarded-proto": "https" });
    const [cookie = ""] = headers["set-cookie"] ?? [];
    expect(cookie).toMatch(/^__Host-licet=[\w.-]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/);
    const given = { cookie: cookie.split(";")[0] ?? "", "x-forwarded-proto": "https" };
    expect(await look("/log", given)).toMatchObject({ status: 200 });
    // The name that a page without TLS could set does not count.
    expect(await look("/log", { ...given, cookie: await logIn() })).toMatchObject({ status: 303 });
  });

  it("shows pages, and reads the API", async () => {
    const cookie = await logIn();
    const page = await look("/log", { cookie });
    expect(page.status).toBe(200);
    expect(page.text).toContain("anna");
    expect(await world.call("GET", "/api/v1/log", { headers: { cookie } })).toMatchObject({ status: 200 });
  });

  it("changes nothing over the API, whose callers send a token themselves", async () => {
    const answer = await world.call("POST", "/api/v1/report", { headers: { cookie: await logIn() }, body: {} });
    expect(answer).toMatchObject({ status: 401, json: { code: "TOKEN_REQUIRED" } });
  });

  it("counts for nothing when two are sent: one of them was set by somebody else", async () => {
    const cookie = await logIn();
    expect(await look("/log", { cookie: `${cookie}; ${cookie}x` })).toMatchObject({ status: 303 });
    expect(await look("/log", { cookie: `other=1; ${cookie}` })).toMatchObject({ status: 200 });
  });

  it("is always a new one, so nobody can have chosen it before", async () => {
    const chosen = await logIn();
    const given = cookieOf(await send("/login", { token: TOKEN }, { cookie: chosen }));
    expect(given).not.toBe(chosen);
  });

  it("ends by its own form, and not by one of another session", async () => {
    const [cookie, other] = [await logIn(READ_TOKEN), await logIn(READ_TOKEN)];
    const foreign = formTokenOf(await look("/log", { cookie: other }));
    expect(await send("/logout", { form: foreign }, { cookie })).toMatchObject({ status: 403 });
    expect(await send("/logout", {}, { cookie })).toMatchObject({ status: 403 });
    const out = await send("/logout", { form: formTokenOf(await look("/log", { cookie })) }, { cookie });
    expect(out).toMatchObject({ status: 303, headers: { location: "/login" } });
    expect(out.headers["set-cookie"]?.[0]).toMatch(/^licet=; Path=\/; Max-Age=0;/);
  });
});

describe("who does not get in", () => {
  it("is told nothing but that, and the log counts it without the token", async () => {
    const answer = await send("/login", { token: "the-token-of-anna-000002" });
    expect(answer.status).toBe(401);
    expect(answer.headers["set-cookie"]).toBeUndefined();
    expect(answer.text).toContain("This is not a token of the service.");
    expect(answer.text).not.toContain("anna-000002");
    expect(world.logged.join("\n")).toContain("a request with a wrong token was refused");
    expect(world.logged.join("\n")).not.toContain("anna-000002");
  });

  it("cannot log somebody in from a page of another origin", async () => {
    const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    const answer = await send("/login", { token: TOKEN }, headers);
    expect(answer.status).toBe(403);
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });

  it.each([
    ["{}", "application/json"],
    ["token=a", "text/plain"],
    ["x", "multipart/form-data; boundary=x"],
  ])("cannot send %j as %s", async (body, type) => {
    const answer = await world.call("POST", "/login", { body, headers: { "content-type": type } });
    expect(answer.status).toBe(415);
  });
});

describe("a service without a token", () => {
  it("shows every page on its own machine, says so at the login, and nothing to other machines", async () => {
    const open = await createServiceWorld({ sandbox: { sites: [] }, config: { sites: [] } });
    onTestFinished(() => open.close());
    expect((await open.call("GET", "/log", { headers: PAGE })).status).toBe(200);
    expect((await open.call("GET", "/login", { headers: PAGE })).text).toContain("No token is configured");
    const refused = await open.call("GET", "/log", { headers: { ...PAGE, "x-forwarded-for": "192.0.2.7" } });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain("TOKEN_NOT_SET");
    expect(refused.text).not.toContain("Decisions");
  });
});
