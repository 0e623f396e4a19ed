import { describe, expect, it } from "vitest";
import { setAsideMicros, toSetAside } from "../../../src/budget/set-aside.ts";
import { toMicros } from "../../../src/money/micros.ts";

const PRICE = { micros: toMicros(10_000), currency: "USD" };

describe("what a page sets aside", () => {
  it("is its price, the fee on it and the report of its fetch", () => {
    const verdict = { rate: { price: PRICE }, feeMicros: toMicros(300), useReserveMicros: toMicros(10_000) };
    expect(setAsideMicros(toSetAside(verdict))).toBe(20_300);
  });

  it("is nothing where the page has no price", () => {
    const verdict = { rate: null, feeMicros: toMicros(0), useReserveMicros: toMicros(0) };
    expect(setAsideMicros(toSetAside(verdict))).toBe(0);
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
