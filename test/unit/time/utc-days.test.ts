import { describe, expect, test } from "vitest";
import { countUtcDays, parseUtcDay, toUtcDays } from "../../../src/time/utc-days.ts";

const NOON = Date.UTC(2026, 10, 20, 12);
const DAY = Date.UTC(2026, 10, 20);
const DAY_MS = 86_400_000;

describe("a UTC day", () => {
  test.each([
    ["2026-11-20", DAY],
    ["today", DAY],
    ["yesterday", DAY - DAY_MS],
    ["1970-01-01", 0],
    ["2024-02-29", Date.UTC(2024, 1, 29)],
    ["2026-02-29", null],
    ["2026-11-31", null],
    ["2026-11", null],
    ["20.11.2026", null],
    ["tomorrow", null],
    ["1969-12-31", null],
    ["2026-11-20T00:00:00Z", null],
  ])("%s", (text, at) => {
    expect(parseUtcDay(text, NOON)).toBe(at);
  });
});

test("days have the name of one, or of the first and the last, which is in them", () => {
  expect(toUtcDays({ first: DAY, last: DAY })).toEqual({ name: "2026-11-20", from: DAY, to: DAY + DAY_MS });
  const days = toUtcDays({ first: DAY - 2 * DAY_MS, last: DAY });
  expect(days).toEqual({ name: "2026-11-18..2026-11-20", from: DAY - 2 * DAY_MS, to: DAY + DAY_MS });
  expect(countUtcDays(days)).toBe(3);
});
