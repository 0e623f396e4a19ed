import { expect, test } from "vitest";
import { CLOCK_TOLERANCE_MS } from "../../../src/time/clock-judgement.ts";
import { isWaitOver, latestWaitEnd } from "../../../src/time/wait-end.ts";

const NOON = Date.UTC(2026, 10, 20, 12);
const HOUR_MS = 3_600_000;

test("a wait is over at its end, and at once where its end is further away than any wait of its kind lasts", () => {
  const isOver = (endAt: number) => isWaitOver(endAt, { now: NOON, longestMs: HOUR_MS });
  expect(isOver(NOON)).toBe(true);
  expect(isOver(NOON + 1)).toBe(false);
  // The clocks of two machines differ a little.
  expect(isOver(NOON + HOUR_MS + CLOCK_TOLERANCE_MS)).toBe(false);
  expect(isOver(NOON + HOUR_MS + CLOCK_TOLERANCE_MS + 1)).toBe(true);
  expect(latestWaitEnd(NOON, HOUR_MS)).toBe(NOON + HOUR_MS + CLOCK_TOLERANCE_MS);
});
