import fc from "fast-check";
import { expect, test } from "vitest";
import { callBackoffMs, MAX_RETRY_AFTER_MS, parseRetryAfter } from "../../../src/gateway/backoff.ts";

const NOW = Date.UTC(2026, 0, 1, 12);

test.each([
  ["0", 0],
  ["1", 1000],
  [" 30 ", 30_000],
  ["1.5", 1500],
  ["120", 120_000],
  ["121", MAX_RETRY_AFTER_MS],
  ["99999999999999999999", MAX_RETRY_AFTER_MS],
  ["Thu, 01 Jan 2026 12:00:09 GMT", 9000],
  ["Thursday, 01-Jan-26 12:00:09 GMT", 9000],
  ["Thu, 01 Jan 2026 11:00:00 GMT", 0],
  ["Fri, 01 Jan 2027 12:00:00 GMT", MAX_RETRY_AFTER_MS],
  ["-1", null],
  ["soon", null],
  ["", null],
  ["1e3", null],
  ["0x10", null],
  ["Xyz, no date", null],
  [null, null],
])("reads Retry-After %j as %j", (value, expected) => {
  expect(parseRetryAfter(value, NOW)).toBe(expected);
});

test("backoff doubles from step to step up to its cap, and jitter takes at most half of it", () => {
  expect([1, 2, 3, 6, 7, 1000].map((step) => callBackoffMs(step, 1))).toEqual([200, 400, 800, 6400, 10_000, 10_000]);
  expect(callBackoffMs(1, 0)).toBe(100);
});

test("any text gives a wait between zero and the cap, or none", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const wait = parseRetryAfter(text, NOW);
      expect(wait === null || (wait >= 0 && wait <= MAX_RETRY_AFTER_MS)).toBe(true);
    }),
  );
});
