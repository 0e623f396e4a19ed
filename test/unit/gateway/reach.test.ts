/** Whether the gateway answers is asked within its limits: what the others have in flight counts. */
import { expect, test } from "vitest";
import type { WireAnswer, WireRequest } from "../../../src/gateway/exchange.ts";
import { GatewayClient } from "../../../src/gateway/gateway-client.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";
import { NO_WIRE } from "./wired-sender.ts";

const API_KEY = "secret-api-key-0123456789";
const answered = (status: number): WireAnswer => ({
  kind: "answered",
  status,
  headers: ["retry-after", "60", "date", "Wed, 01 Jan 2020 00:00:00 GMT"].map((text) => Buffer.from(text)),
  body: Buffer.alloc(0),
});
const failed = (reason: "no_connection" | "aborted", sent: boolean): WireAnswer => ({
  kind: "failed",
  reason,
  sent,
  detail: "no connection (ECONNREFUSED)",
});

/** A gateway that allows one request at once. @param answers in turn; none: that request hangs */
function open(baseUrl: string, answers: readonly WireAnswer[]) {
  const clock = createFakeClock();
  const sent: WireRequest[] = [];
  const told: unknown[] = [];
  const send = (request: WireRequest) => {
    const answer = answers[sent.length];
    sent.push(request);
    return answer === undefined ? new Promise<WireAnswer>(() => {}) : Promise.resolve(answer);
  };
  const client = new GatewayClient(
    {
      baseUrl,
      apiKey: API_KEY,
      agentId: "agent",
      userAgent: "agent/1.0",
      concurrency: 1,
      requestsPerSecond: null,
      retries: 0,
      clock,
      onRequest: (event) => void told.push(event),
    },
    { ...NO_WIRE, send },
  );
  const reach = () => {
    const asked = client.reach(new AbortController().signal);
    return clock.drive(asked, () => true);
  };
  return { client, clock, reach, sent, told };
}

test.each([
  [answered(404), { ok: true, detail: "its server answers 404" }],
  [answered(429), { ok: true, detail: "its server answers 429" }],
  [answered(503), { ok: false, detail: "its server answers 503" }],
  [failed("no_connection", false), { ok: false, detail: "its server gives no answer: no connection (ECONNREFUSED)" }],
  [failed("aborted", true), { ok: false, detail: "its server gives no answer: none in time" }],
])("%j says %j", async (answer, reached) => {
  const { reach, sent, told } = open("https://gateway.example/", [answer]);
  expect(await reach()).toEqual(reached);
  expect(sent).toEqual([{ method: "GET", path: "/", headers: ["user-agent", "agent/1.0"], body: null }]);
  expect(told).toEqual([]);
});

test("its Date says nothing of the present: a proxy may have kept the answer", async () => {
  const { client, reach } = open("https://gateway.example", [answered(200)]);
  await reach();
  expect(client.dateAt()).toBeNull();
});

test("the base path is asked for where there is one, and the place is free afterwards", async () => {
  const { client, reach, sent } = open("https://gateway.example/api", [answered(200), answered(200)]);
  await reach();
  await reach();
  expect(sent.map(({ path }) => path)).toEqual(["/api", "/api"]);
  expect(client.limits.inFlight).toBe(0);
});

test.each([
  ["all that may be in flight is", 1, []],
  ["the gateway asks for a rest", 1, [answered(429)]],
])("nothing is asked while %s", async (_, before, answers) => {
  const { client, clock, reach, sent } = open("https://gateway.example", answers);
  void client.quotePage("https://news.example/page").catch(() => null);
  await new Promise((resolve) => setImmediate(resolve));
  const since = clock.now();
  expect(await reach()).toBeNull();
  expect(clock.now() - since).toBeLessThanOrEqual(1_000);
  expect(sent).toHaveLength(before);
});
