import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";

const TOKEN = "a-long-token-nobody-guesses-ü";
/** As a client sends it: the bytes of UTF-8. */
const BEARER = { authorization: `Bearer ${Buffer.from(TOKEN, "utf8").toString("latin1")}` };
const PATH = "/webhooks/main";

let world: ServiceWorld;

beforeAll(async () => {
  world = await createServiceWorld({
    sandbox: { sites: [] },
    config: {
      sites: [],
      // All addresses of this machine are loopback and others: only the rule for other addresses is tested, on loopback sockets.
      serve: { host: "0.0.0.0", port: 0, token: TOKEN },
      webhooks: [{ id: "main", path: PATH, url: `https://agent.example${PATH}`, secret: "webhook-secret" }],
    },
  });
});

afterAll(() => world.close());

describe("a service that other machines reach", () => {
  it("answers probes without the token", async () => {
    expect(await world.call("GET", "/healthz")).toMatchObject({ status: 200 });
    expect(await world.call("HEAD", "/healthz")).toMatchObject({ status: 200 });
  });

  it.each([
    "/metrics",
    "/api/v1/status",
    "/nothing",
    "/healthz/",
    "//healthz",
    "/healthz/..",
    "/HEALTHZ",
    "/readyz%2f",
  ])("needs the token for %s, whether it exists or not", async (path) => {
    const answer = await world.call("GET", path);
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toBe('Bearer realm="licet"');
    expect(answer.json).toMatchObject({ code: "TOKEN_REQUIRED", status: 401, title: "Unauthorized" });
  });

  it("needs the token for other methods of open addresses", async () => {
    expect(await world.call("POST", "/healthz")).toMatchObject({ status: 401 });
    expect(await world.call("GET", PATH)).toMatchObject({ status: 401 });
  });

  it.each([
    ["Bearer", 404],
    ["bearer", 404],
    ["BEARER  ", 404],
    ["Token", 401],
    ["Bearer x", 401],
  ])("reads the scheme %j", async (scheme, status) => {
    const answer = await world.call("GET", "/nothing", {
      headers: { authorization: BEARER.authorization.replace("Bearer", scheme) },
    });
    expect(answer.status).toBe(status);
  });

  it("takes the token from the header alone", async () => {
    for (const query of [`access_token=${encodeURIComponent(TOKEN)}`, `token=${encodeURIComponent(TOKEN)}`]) {
      expect(await world.call("GET", `/nothing?${query}`)).toMatchObject({ status: 401 });
    }
    const basic = Buffer.from(`licet:${TOKEN}`).toString("base64");
    expect(await world.call("GET", "/nothing", { headers: { authorization: `Basic ${basic}` } })).toMatchObject({
      status: 401,
    });
  });

  it("never shows the token, and logs wrong ones together", async () => {
    const wrong = { authorization: "Bearer guessed-token-of-somebody" };
    const answers = [
      await world.call("GET", "/nothing", { headers: wrong }),
      await world.call("GET", "/nothing", { headers: wrong }),
      await world.call("GET", "/nothing", { headers: BEARER }),
      await world.call("POST", "/nothing", { headers: { ...BEARER, origin: "https://evil.example" } }),
    ];
    const shown = JSON.stringify([answers, world.logged]);
    expect(shown).not.toContain(TOKEN);
    expect(shown).not.toContain(BEARER.authorization);
    expect(shown).not.toContain("guessed-token-of-somebody");
    expect(world.logged.filter((line) => line.includes("wrong token"))).toHaveLength(1);
  });
});

describe("every answer", () => {
  it.each([
    ["GET", "/healthz", {}],
    ["GET", "/nothing", {}],
    ["GET", "/nothing", BEARER],
    ["GET", "/%zz", {}],
    ["OPTIONS", "/healthz", { origin: "https://evil.example", "access-control-request-method": "POST" }],
  ])("has the safety headers and no CORS: %s %s", async (method, path, headers) => {
    const answer = await world.call(method, path, { headers });
    expect(answer.headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      "x-frame-options": "DENY",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  it("to a method that the address does not have names those that it has", async () => {
    const answer = await world.call("DELETE", "/healthz", { headers: BEARER, body: "not JSON" });
    expect(answer).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
    expect(answer.json).toMatchObject({ code: "METHOD_NOT_ALLOWED", details: { allowed: ["GET", "HEAD"] } });
  });

  it("to an address that cannot be decoded, and to what is not HTTP, is a problem document", async () => {
    expect((await world.call("GET", "/%zz?secret=1")).json).toMatchObject({
      code: "REQUEST_INVALID",
      detail: "the address of the request cannot be decoded",
    });
    const { port } = new URL(world.service.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.end("GET /healthz\r\nthis is not HTTP\r\n\r\n");
    const answer = (await socket.setEncoding("utf8").toArray()).join("");
    expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\nContent-Type: application\/problem\+json\r\n/);
    expect(answer).toMatch(/"code":"REQUEST_INVALID"/);
  });

  it("to an unknown address is a problem document without the query", async () => {
    const answer = await world.call("GET", "/nothing?secret=1", { headers: BEARER });
    expect(answer.headers["content-type"]).toMatch(/^application\/problem\+json/);
    expect(answer.json).toEqual({
      type: "about:blank",
      title: "Not Found",
      status: 404,
      detail: "GET /nothing is not an address of this service",
      code: "ROUTE_NOT_FOUND",
      hint: "GET /api/v1/openapi.json lists the addresses.",
      details: { method: "GET", path: "/nothing" },
    });
  });
});
