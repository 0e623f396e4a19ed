import { describe, expect, it } from "vitest";
import { isLicetError } from "../../../src/errors.ts";
import { parseDuration } from "../../../src/time/duration.ts";

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
