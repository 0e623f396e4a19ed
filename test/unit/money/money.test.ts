import { expect, it } from "vitest";
import { addMicros, multiplyMicros, subtractMicros, toMicros } from "../../../src/money/micros.ts";

it("counts only safe whole numbers", () => {
  expect(toMicros(Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER);
  for (const value of [0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER + 1]) {
    expect(() => toMicros(value)).toThrow(RangeError);
  }
});

it("makes negative zero zero", () => {
  expect(Object.is(toMicros(-0), 0)).toBe(true);
});

it("refuses sums, differences and products that can no longer be counted exactly", () => {
  const max = toMicros(Number.MAX_SAFE_INTEGER);
  expect(() => addMicros(max, toMicros(1))).toThrow(RangeError);
  expect(() => subtractMicros(toMicros(-Number.MAX_SAFE_INTEGER), toMicros(1))).toThrow(RangeError);
  expect(() => multiplyMicros(max, 2)).toThrow(RangeError);
});
