import { describe, expect, it } from "vitest";
import { NOTHING_SET_ASIDE, setAsideMicros } from "../../../src/budget/set-aside.ts";
import { toMicros } from "../../../src/money/micros.ts";

describe("what a page sets aside", () => {
  it("is nothing where the page has no price", () => {
    expect(setAsideMicros(NOTHING_SET_ASIDE)).toBe(0);
  });

  it("is refused where it cannot be counted exactly", () => {
    const parts = {
      quotedMicros: toMicros(Number.MAX_SAFE_INTEGER),
      feeMicros: toMicros(1),
      useReserveMicros: toMicros(0),
    };
    expect(() => setAsideMicros(parts)).toThrow(RangeError);
  });
});
