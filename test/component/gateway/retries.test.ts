import type { ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import type { RequestEvent, RetryEvent } from "../../../src/gateway/client-options.ts";
import { RATE_LIMITED_RETRIES, TOKEN_SERVER_ERROR_RETRIES } from "../../../src/gateway/repeatable.ts";
import { systemClock } from "../../../src/time/clock.ts";
import { sendJson } from "../../doubles/loopback-server.ts";
import { API_KEY, createLeapingClock, openClient, PAGE, TOKEN, TOKEN_REQUEST } from "./client-on-loopback.ts";

function sendStatus(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  sendJson(response, { title: "no", detail: `because of ${API_KEY}`, code: "c1", requestId: "r1" }, status, headers);
}

test.each([408, 425, 500, 502, 503, 504])("repeats a rate lookup after %i until it is answered", async (status) => {
  const { client, server } = await openClient((_request, response, index) =>
    index < 4 ? sendStatus(response, status) : sendJson(response, []),
  );
  expect(await client.quotePage(PAGE)).toEqual({ rates: [], unreadable: [] });
  expect(server.received).toHaveLength(5);
});

test.each([
  [500, "GATEWAY_FAILED", "later"],
  [429, "GATEWAY_RATE_LIMITED", "later"],
])("stops on %i after its number of retries", async (status, code, retry) => {
  const { client, server } = await openClient((_request, response) => sendStatus(response, status));
  await expect(client.quotePage(PAGE)).rejects.toMatchObject({ code, retry, details: { status, url: PAGE } });
  expect(server.received).toHaveLength(1 + (status === 429 ? RATE_LIMITED_RETRIES : 4));
});

test.each([
  [400, "GATEWAY_REFUSED"],
  [401, "GATEWAY_UNAUTHORIZED"],
  [403, "GATEWAY_FORBIDDEN"],
  [404, "GATEWAY_NOT_FOUND"],
  [413, "GATEWAY_REFUSED"],
  [418, "GATEWAY_REFUSED"],
])("does not repeat a call that is refused with %i", async (status, code) => {
  const { client, server } = await openClient((_request, response) => sendStatus(response, status));
  const error = await client.quoteBatch([PAGE]).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code, retry: "never", details: { status, gatewayCode: "c1", requestId: "r1" } });
  expect(JSON.stringify(error)).not.toContain(API_KEY);
  expect(server.received).toHaveLength(1);
});

test("does not follow a redirect, and only reports its target", async () => {
  const { client, server } = await openClient((_request, response) =>
    sendStatus(response, 307, { location: "https://elsewhere.example/steal?key=1" }),
  );
  await expect(client.quotePage(PAGE)).rejects.toMatchObject({
    code: "GATEWAY_REDIRECTED",
    message: `rate of ${PAGE}: the gateway answered 307, a redirect to https://elsewhere.example; licet follows no redirect`,
    hint: "If that is the gateway's address, set gateway.baseUrl to https://elsewhere.example.",
    details: { location: "https://elsewhere.example" },
  });
  expect(server.received).toHaveLength(1);
});

test.each(["/login", "javascript:alert(1)", ""])("names no origin for a redirect to %j", async (location) => {
  const { client } = await openClient((_request, response) => sendStatus(response, 302, { location }));
  await expect(client.quotePage(PAGE)).rejects.toMatchObject({
    message: expect.stringContaining("a redirect to another path of its address"),
    hint: "Set gateway.baseUrl to the address that answers without a redirect.",
    details: { location: null },
  });
});

test("says of a page that came instead of JSON which address gave it, its type and its title", async () => {
  const { client, server } = await openClient(
    (_request, response) => {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(`<html><title>Sign\u001b[31m in\n to ${API_KEY} ${"x".repeat(500)}</title>`);
    },
    { retries: 0 },
  );
  const error = await client
    .listCatalog({ host: "news.example", pageToken: "next-1", pageSize: 10 })
    .catch((thrown: unknown) => thrown as Error);
  expect(error).toMatchObject({
    code: "GATEWAY_ANSWER_INVALID",
    message: expect.stringMatching(
      /^the gateway's answer to catalog of news\.example is unusable: the body is not JSON: GET http:\/\/127\.0\.0\.1:\d+\/[^?]+ was answered 200 with text\/html; charset=utf-8, titled "Sign\[31m in to \[redacted\] x+…"$/,
    ),
    details: { address: expect.stringContaining(server.baseUrl), contentType: "text/html; charset=utf-8" },
  });
  expect(JSON.stringify(error)).not.toMatch(/next-1|\\u001b/);
});

test("says of a catalog that is not found that the gateway does not know its site", async () => {
  const { client } = await openClient((_request, response) => sendStatus(response, 404));
  await expect(client.listCatalog({ host: "news.example", pageToken: null, pageSize: 10 })).rejects.toMatchObject({
    code: "GATEWAY_NOT_FOUND",
    message: expect.stringContaining("the gateway does not know the site news.example"),
    hint: expect.stringContaining("Check the host under sites"),
  });
});

test("repeats a token request that answers 500 only a few times", async () => {
  const { client, server } = await openClient((_request, response) => sendStatus(response, 500));
  await expect(client.issueContentToken(TOKEN_REQUEST)).rejects.toMatchObject({ code: "GATEWAY_FAILED" });
  await expect(client.issueIndexingToken(PAGE)).rejects.toMatchObject({ code: "GATEWAY_FAILED" });
  expect(server.received).toHaveLength(2 * (1 + TOKEN_SERVER_ERROR_RETRIES));
});

const RESET = { call: "content_token", because: "reset", status: null, retries: 4 } as const;

test("repeats a call whose connection was lost, and reports each retry", async () => {
  const events: RetryEvent[] = [];
  const { client, server } = await openClient(
    (request, response, index) => (index < 2 ? request.socket.destroy() : sendJson(response, { token: TOKEN })),
    { onRetry: (event) => events.push(event) },
  );
  expect(await client.issueContentToken(TOKEN_REQUEST)).toMatchObject({ token: TOKEN });
  expect(server.received).toHaveLength(3);
  expect(events).toEqual([
    { ...RESET, attempt: 1, delayMs: 200, waitMs: 200 },
    { ...RESET, attempt: 2, delayMs: 400, waitMs: 400 },
  ]);
});

test("reports the status of a failed answer, and the pause after a 429 as the wait", async () => {
  const events: RetryEvent[] = [];
  const { client } = await openClient(
    (_request, response, index) =>
      index === 0
        ? sendStatus(response, 503)
        : index === 1
          ? sendStatus(response, 429, { "retry-after": "3" })
          : sendJson(response, []),
    { onRetry: (event) => events.push(event) },
  );
  await client.quotePage(PAGE);
  expect(events).toMatchObject([
    { call: "rate", because: "server_error", status: 503, retries: 4, waitMs: 200 },
    { call: "rate", because: "rate_limited", status: 429, retries: RATE_LIMITED_RETRIES, delayMs: 0, waitMs: 3000 },
  ]);
});

test("reports each request with its method, address, status and time, without key, token and page token", async () => {
  const events: RequestEvent[] = [];
  const { client, server } = await openClient(
    (_request, response, index) =>
      index === 0 ? response.destroy() : index === 1 ? sendJson(response, { token: TOKEN }) : sendStatus(response, 404),
    { onRequest: (event) => events.push(event), retries: 1 },
  );
  await client.issueContentToken(TOKEN_REQUEST);
  await client.fetchContent({ url: `${PAGE}?${TOKEN}`, token: TOKEN, format: "markdown" });
  await client.listCatalog({ host: "a.example", pageToken: "p", pageSize: 5 }).catch(() => undefined);
  await client.listHistory({ nextToken: "p", size: 5, daysAgo: null }).catch(() => undefined);
  expect(events.map(({ call, method, status, failure }) => [call, method, status, failure])).toEqual([
    ["content_token", "POST", null, expect.stringMatching(/^the connection was lost/)],
    ["content_token", "POST", 200, null],
    ["content", "GET", 404, null],
    ["catalog", "GET", 404, null],
    ["history", "GET", 404, null],
  ]);
  expect(events.map(({ url }) => url).slice(2)).toEqual([
    `${server.baseUrl}/dev/v2/content/${encodeURIComponent(`${PAGE}?[redacted]`).replace("%5B", "[").replace("%5D", "]")}`,
    `${server.baseUrl}/dev/v2/content/a.example/catalog/list?pageSize=5&pageToken=[redacted]`,
    `${server.baseUrl}/dev/v1/webhook/history?size=5&next-token=[redacted]`,
  ]);
  expect(events.every(({ durationMs }) => durationMs >= 0)).toBe(true);
});

test("repeats a success that is not JSON, but not one of another shape", async () => {
  const { client, server } = await openClient((_request, response, index) => {
    response.end(index === 0 ? "<html>starting…</html>" : '{"unexpected":true}');
  });
  await expect(client.quotePage(PAGE)).rejects.toMatchObject({ code: "GATEWAY_ANSWER_INVALID" });
  expect(server.received).toHaveLength(2);
});

test("repeats nothing with no retries", async () => {
  const { client, server } = await openClient((_request, response) => sendStatus(response, 429), { retries: 0 });
  await expect(client.quotePage(PAGE)).rejects.toMatchObject({ code: "GATEWAY_RATE_LIMITED" });
  expect(server.received).toHaveLength(1);
});

test("waits as long as a 503 asks, if that is longer than its own backoff", async () => {
  const clock = createLeapingClock();
  const { client } = await openClient(
    (_request, response, index) =>
      index === 0 ? sendStatus(response, 503, { "retry-after": "7" }) : sendJson(response, []),
    { clock },
  );
  await client.quotePage(PAGE);
  expect(clock.sleeps).toEqual([7000]);
});

test("an abort during the wait for a retry ends the call", async () => {
  const stop = new AbortController();
  const { client, server } = await openClient((_request, response) => sendStatus(response, 500), {
    onRetry: () => stop.abort(),
  });
  await expect(client.quotePage(PAGE, stop.signal)).rejects.toMatchObject({ code: "INTERRUPTED" });
  expect(server.received).toHaveLength(1);
});

test("Node warns of no leak when many calls wait for their retry at once", async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on("warning", listen);
  onTestFinished(() => void process.off("warning", listen));
  const { client } = await openClient(
    (_request, response, index) => (index < 32 ? sendStatus(response, 500) : sendJson(response, [])),
    { clock: systemClock, random: () => 0, concurrency: 32 },
  );
  await Promise.all(Array.from({ length: 32 }, (_, index) => client.quotePage(`${PAGE}/${index}`)));
  expect(warnings).toEqual([]);
});

test("64 answers of 429 in flight are one step of backoff for all requests", async () => {
  const clock = createLeapingClock();
  const waiting: ServerResponse[] = [];
  const { client, server } = await openClient(
    (_request, response, index) => {
      if (index >= 64) {
        sendJson(response, []);
        return;
      }
      // All 64 are in flight before the first one is answered.
      waiting.push(response);
      if (waiting.length === 64) {
        for (const one of waiting) {
          sendStatus(one, 429);
        }
      }
    },
    { clock, concurrency: 64 },
  );
  await Promise.all(Array.from({ length: 64 }, (_, index) => client.quotePage(`${PAGE}/${index}`)));
  expect(server.received).toHaveLength(128);
  // The steps would be 200, 400, 800 … ms.
  expect(clock.sleeps).toEqual([200]);
});

test("content that waits is not sent after its token expired, and a refused token says how long it waited", async () => {
  const clock = createLeapingClock();
  const { client, server } = await openClient(
    (_request, response, index) => sendStatus(response, index === 0 ? 429 : 401, { "retry-after": "3" }),
    { clock },
  );
  const page = { url: PAGE, token: TOKEN, format: "markdown" } as const;
  expect(await client.fetchContent(page)).toMatchObject({ kind: "rate_limited" });
  expect(await client.fetchContent({ ...page, expiresAt: clock.now() + 3_000 })).toEqual({
    kind: "unanswered",
    reason: "expired",
    sent: false,
    detail: "its token expired while it waited for its turn",
  });
  expect(server.received).toHaveLength(1);
  expect(await client.fetchContent(page)).toMatchObject({ kind: "unauthorized", waitedMs: 0 });
  expect(server.received).toHaveLength(2);
});

test("a 429 to a content request is returned and pauses all requests", async () => {
  const clock = createLeapingClock();
  const { client, server } = await openClient(
    (_request, response, index) =>
      index === 0 ? sendStatus(response, 429, { "retry-after": "3" }) : sendJson(response, []),
    { clock },
  );
  expect(await client.fetchContent({ url: PAGE, token: TOKEN, format: "markdown" })).toEqual({
    kind: "rate_limited",
    retryAfterMs: 3000,
  });
  await client.quotePage(PAGE);
  expect(clock.sleeps).toEqual([3000]);
  expect(server.received).toHaveLength(2);
});
