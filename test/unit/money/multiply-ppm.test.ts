import fc from "fast-check";
import { expect, it } from "vitest";
import { toMicros } from "../../../src/money/micros.ts";
import { multiplyPpmCeil } from "../../../src/money/multiply-ppm.ts";

it("rounds up to a whole micro", () => {
  expect(multiplyPpmCeil(toMicros(1), 1)).toBe(1);
  expect(multiplyPpmCeil(toMicros(20_000), 25_000)).toBe(500);
  expect(multiplyPpmCeil(toMicros(20_001), 25_000)).toBe(501);
  expect(multiplyPpmCeil(toMicros(0), 25_000)).toBe(0);
});

it("does not lose the last micro of a product whose quotient a float would round to a whole number", () => {
  expect(multiplyPpmCeil(toMicros(9_007_199_254_000_001), 1)).toBe(9_007_199_255);
});

it("agrees with the exact product for every amount and every share up to the whole", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.integer({ min: 0, max: 1_000_000 }), (amount, ppm) => {
      const exact = (BigInt(amount) * BigInt(ppm) + 999_999n) / 1_000_000n;
      expect(BigInt(multiplyPpmCeil(toMicros(amount), ppm))).toBe(exact);
    }),
  );
});
