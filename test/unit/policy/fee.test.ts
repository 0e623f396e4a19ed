import { expect, it } from "vitest";
import { feeOf } from "../../../src/policy/fee.ts";
import { eur, usd } from "./policy-cases.ts";

it("is nothing where the gateway adds none", () => {
  expect(feeOf(null, usd(10_000))).toBe(0);
});

it("is the share of the rate, rounded up, and the fixed part", () => {
  expect(feeOf({ ratePpm: 25_000, fixed: null }, usd(10_000))).toBe(250);
  expect(feeOf({ ratePpm: 25_000, fixed: null }, usd(1))).toBe(1);
  expect(feeOf({ ratePpm: 25_000, fixed: usd(100) }, usd(10_000))).toBe(350);
  expect(feeOf({ ratePpm: 0, fixed: usd(100) }, usd(0))).toBe(100);
});

it("leaves out a fixed part in another currency, which cannot be converted", () => {
  expect(feeOf({ ratePpm: 25_000, fixed: usd(100) }, eur(10_000))).toBe(250);
});

it("is exact where the product is beyond the safe integers, and refuses a fee that cannot be counted", () => {
  expect(feeOf({ ratePpm: 999_999, fixed: null }, usd(Number.MAX_SAFE_INTEGER))).toBe(9_007_190_247_541_737);
  expect(() => feeOf({ ratePpm: 1_000_000, fixed: usd(1) }, usd(Number.MAX_SAFE_INTEGER))).toThrow(RangeError);
});
