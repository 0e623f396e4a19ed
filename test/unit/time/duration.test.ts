import { describe, expect, it } from "vitest";
import { isLicetError } from "../../../src/errors.ts";
import { formatAge, formatDuration, parseDuration } from "../../../src/time/duration.ts";

describe("parseDuration", () => {
  it.each([
    ["30d", 2_592_000_000],
    ["6h", 21_600_000],
    ["5m", 300_000],
    ["90s", 90_000],
    ["250ms", 250],
    ["0s", 0],
    [" 1d ", 86_400_000],
  ])("reads %s as %d ms", (text, durationMs) => {
    expect(parseDuration(text)).toBe(durationMs);
  });

  it.each(["", "30", "d", "1.5h", "-1d", "1h30m", "1 d", "1D", "1w", "1e3s", `${"9".repeat(20)}d`])(
    "refuses %j",
    (text) => {
      let failure: unknown;
      try {
        parseDuration(text);
      } catch (error) {
        failure = error;
      }
      expect(isLicetError(failure, "DURATION_INVALID")).toBe(true);
      expect(isLicetError(failure) && failure.hint).toContain("30d");
    },
  );
});

it.each([
  [0, "0ms"],
  [1, "1ms"],
  [90_000, "90s"],
  [5_400_000, "90m"],
  [129_600_000, "36h"],
  [604_800_000, "7d"],
])("formatDuration writes %d ms as %s, which parseDuration reads", (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text);
  expect(parseDuration(text)).toBe(durationMs);
});

it.each([
  [0, "0ms"],
  [999, "999ms"],
  [86_400_000, "1d"],
  [86_400_001, "1d 1ms"],
  [792_345_678, "9d 4h"],
])("formatAge writes %d ms as %s", (ageMs, text) => {
  expect(formatAge(ageMs)).toBe(text);
});
