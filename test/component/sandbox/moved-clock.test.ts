/** The time of a sandbox, moved while it runs. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseClockMove } from "../../../src/sandbox/control/clock-move.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { AGENT, call, createStillClock, JSON_KEY, KEY, PAGE_URL, startGateway } from "./gateway-caller.ts";

const START = "2026-01-10T00:00:00.000Z";

let gateway: Sandbox;
beforeEach(async () => {
  gateway = await startGateway({ clock: createStillClock(Date.parse(START)) });
});
afterEach(() => gateway.close());

const control = (method: string, path: string, body?: object) =>
  call(gateway, method, `/__sandbox/${path}`, {}, body === undefined ? undefined : JSON.stringify(body));

test("says what time it is, and moves by a duration or to an instant, forward and back", async () => {
  expect((await control("GET", "clock")).json).toEqual({ now: START, offsetMs: 0 });
  expect((await control("POST", "clock", { by: "1d" })).json).toEqual({
    now: "2026-01-11T00:00:00.000Z",
    offsetMs: 86_400_000,
  });
  expect((await control("POST", "clock", { at: "2026-01-09T00:00:00Z" })).json).toMatchObject({
    now: "2026-01-09T00:00:00.000Z",
  });
  expect((await control("POST", "clock", { by: "-2h" })).json).toMatchObject({ now: "2026-01-08T22:00:00.000Z" });
});

test.each([
  [{}, /write either by or at/],
  [{ by: "1d", at: START }, /write either by or at/],
  [{ by: "1 day" }, /by is not a duration/],
  [{ by: 1 }, /by is not a duration/],
  [{ at: "tomorrow" }, /at is not an instant/],
  [{ at: "2026-01-09" }, /at is not an instant/],
  [{ by: "999999999d" }, /years 1970 to 9998/],
])("refuses %j with 400", async (body, message) => {
  const { status, json } = await control("POST", "clock", body);
  expect([status, json.detail]).toEqual([400, expect.stringMatching(message)]);
  expect((await control("GET", "clock")).json).toMatchObject({ offsetMs: 0 });
});

test("an instant is read in its own time zone", () => {
  expect(parseClockMove({ at: "2026-01-10T02:00:00+01:00" }, Date.parse(START))).toBe(3_600_000);
});

describe("a moved clock", () => {
  test("lets tokens expire", async () => {
    const order = {
      url: PAGE_URL,
      userAgent: AGENT,
      maxPriceMicros: 2_000,
      currency: "USD",
      licenseType: "ON_DEMAND_LICENSE",
    };
    const { json } = await call(gateway, "POST", "/dev/v2/tokens/content", JSON_KEY, JSON.stringify(order));
    await control("POST", "clock", { by: "5m" });
    const content = await call(gateway, "GET", `/dev/v2/content/${encodeURIComponent(PAGE_URL)}`, {
      ServiceToken: json.token,
      "User-Agent": AGENT,
    });
    expect([content.status, content.json.code]).toEqual([401, "token-expired"]);
  });

  test("dates new pages, charges and answers", async () => {
    await control("POST", "clock", { by: "1d" });
    await control("POST", "pages", { url: "/tomorrow", markdown: "# Tomorrow" });
    const { json, headers } = await call(gateway, "GET", "/dev/v2/content/news.example/catalog/list", KEY);
    expect(json.pages[0]).toMatchObject({
      pageUrl: "https://news.example/tomorrow",
      lastMod: "2026-01-11T00:00:00.000Z",
    });
    expect(headers.date).toBe("Sun, 11 Jan 2026 00:00:00 GMT");
  });

  test("ends the wait of a webhook delivery", async () => {
    const statuses = [500, 200];
    const receiver = createServer((_message, response) => response.writeHead(statuses.shift() ?? 200).end());
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    await gateway.close();
    gateway = await startGateway({ webhooks: [{ id: "main", url, secret: "s" }], deliveryRetryMs: [3_600_000] });
    const ended = gateway.notify(PAGE_URL, "UPDATED");
    const attempts = async () => (await call(gateway, "GET", "/dev/v1/webhook/history", KEY)).json.Items;
    while ((await attempts()).length === 0) {}
    gateway.moveClock(3_599_000);
    gateway.moveClock(1_000);
    expect(await ended).toMatchObject([{ lastStatus: 200, numAttempts: 2 }]);
    await new Promise((resolve) => receiver.close(resolve));
  });
});

describe("the pages request", () => {
  test("removes a page", async () => {
    expect((await control("POST", "pages", { url: "/a", remove: true })).json).toEqual({ ok: true });
    expect((await call(gateway, "GET", `/dev/v2/rates/${encodeURIComponent(PAGE_URL)}`, KEY)).status).toBe(404);
    expect((await control("POST", "pages", { url: "/a", remove: true })).status).toBe(400);
  });

  test.each([
    [{}, /url/],
    [{ url: "/a", markdown: 7 }, /markdown/],
    [{ url: "/a", rates: [{ licenseType: "FREE" }] }, /rates/],
  ])("refuses %j, and names the field", async (body, field) => {
    const { status, json } = await control("POST", "pages", body);
    expect([status, json.detail]).toEqual([400, expect.stringMatching(field)]);
  });
});
