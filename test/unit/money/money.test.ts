import { expect, it } from "vitest";
import { addMicros, multiplyMicros, subtractMicros, toMicros } from "../../../src/money/micros.ts";
import { addMoney, subtractMoney } from "../../../src/money/money.ts";

const usd = (micros: number) => ({ micros: toMicros(micros), currency: "USD" });

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

it("never adds amounts of different currencies", () => {
  expect(addMoney(usd(1), usd(2))).toEqual(usd(3));
  expect(subtractMoney(usd(1), usd(2))).toEqual(usd(-1));
  expect(() => addMoney(usd(1), { micros: toMicros(1), currency: "EUR" })).toThrow("USD with EUR");
  expect(() => subtractMoney(usd(1), { micros: toMicros(1), currency: "EUR" })).toThrow(RangeError);
});
