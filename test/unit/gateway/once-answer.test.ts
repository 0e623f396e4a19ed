/** What each status means to the two calls that are sent once: a definite refusal, or no usable answer. */
import { expect, test } from "vitest";
import { MAX_RETRY_AFTER_MS } from "../../../src/gateway/backoff.ts";
import type { WireAnswer } from "../../../src/gateway/exchange.ts";
import { toContentAnswer, toReportAnswer } from "../../../src/gateway/once-answer.ts";

const now = () => Date.UTC(2026, 0, 1);

function answered(status: number, body: string, headers: readonly string[] = []): WireAnswer {
  return { kind: "answered", status, headers: headers.map((text) => Buffer.from(text)), body: Buffer.from(body) };
}

const content = (status: number, body = "") => toContentAnswer(answered(status, body), [], now);
const report = (status: number, body = "") => toReportAnswer(answered(status, body), [], now);

test.each([
  [301, "refused"],
  [302, "refused"],
  [304, "refused"],
  [400, "refused"],
  [401, "unauthorized"],
  [402, "refused"],
  [403, "refused"],
  [404, "refused"],
  [408, "unanswered"],
  [410, "refused"],
  [413, "refused"],
  [429, "rate_limited"],
  [451, "refused"],
  [500, "unanswered"],
  [501, "unanswered"],
  [502, "unanswered"],
  [503, "unanswered"],
  [504, "unanswered"],
  [599, "unanswered"],
])("content that gets %i is %s", (status, kind) => {
  expect(content(status).kind).toBe(kind);
  // Whatever the answer was, the request had reached a server.
  expect(content(status)).not.toHaveProperty("sent", false);
});

test.each([
  ["no body", ""],
  ["a page of a proxy", "<h1>ok</h1>"],
  ["half of its JSON", '{"content":{"body":"the art'],
  ["null", "null"],
  ["a list", "[]"],
  ["an error that was sent as a success", '{"status":500,"title":"no"}'],
])("content that comes as %s under 200 may have been charged", (_name, body) => {
  expect(content(200, body)).toMatchObject({ kind: "unanswered", reason: "bad_body", sent: true });
});

test.each([
  ["<title>Sign in</title>", 'the body is not JSON: no content type, titled "Sign in"'],
  ["<h1>ok</h1>", 'the body is not JSON: no content type, beginning with "ok"'],
  ['{"content":{"body":"the art', "the body is not JSON: no content type, of which the JSON is broken"],
  ["", "the body is not JSON: no content type, without text"],
])("the detail of content and of a report says what came instead of JSON: %s", (body, detail) => {
  expect(content(200, body)).toMatchObject({ detail });
  expect(report(200, body)).toMatchObject({ detail: `the gateway's answer contains no receipts: ${detail}` });
});

test.each([
  [302, "unanswered"],
  [400, "rejected"],
  [401, "unauthorized"],
  [403, "unauthorized"],
  [404, "rejected"],
  [408, "unanswered"],
  [409, "rejected"],
  [413, "rejected"],
  [422, "rejected"],
  [425, "unanswered"],
  [429, "unanswered"],
  [500, "unanswered"],
  [502, "unanswered"],
  [503, "unanswered"],
  [504, "unanswered"],
])("a report that gets %i is %s", (status, kind) => {
  expect(report(status).kind).toBe(kind);
});

test.each([
  ["no body", ""],
  ["a page of a proxy", "<h1>ok</h1>"],
  ["half of its JSON", '[{"url":"https://a.exa'],
  ["null", "null"],
  ["an error that was sent as a success", '{"status":500,"title":"no"}'],
])("a report that is answered with %s under 200 is not settled", (_name, body) => {
  expect(report(200, body).kind).toBe("unanswered");
});

test("a report that got no answer at all is not settled, whether it left or not", () => {
  for (const sent of [true, false]) {
    const lost: WireAnswer = { kind: "failed", reason: sent ? "reset" : "no_connection", sent, detail: "lost" };
    expect(toReportAnswer(lost, [], now)).toEqual({
      kind: "unanswered",
      detail: "lost",
      retryAfterMs: null,
      mayBeTaken: sent,
    });
  }
});

test.each([
  ["2", 2_000],
  ["86400", MAX_RETRY_AFTER_MS],
  ["soon", null],
])("a Retry-After of %s is passed on by both", (text, retryAfterMs) => {
  const limited = answered(429, "", ["Retry-After", text]);
  expect(toContentAnswer(limited, [], now)).toEqual({ kind: "rate_limited", retryAfterMs });
  expect(toReportAnswer(limited, [], now)).toMatchObject({ kind: "unanswered", retryAfterMs });
});

test.each([
  [301, false],
  [302, true],
  [303, true],
  [307, false],
  [308, false],
  [408, true],
  [425, true],
  [429, false],
  [500, true],
  [503, true],
])("a report that gets %i may have been taken: %s", (status, mayBeTaken) => {
  expect(report(status)).toMatchObject({ kind: "unanswered", mayBeTaken });
});
