import { describe, expect, it } from "vitest";
import { toMicros } from "../../../src/money/micros.ts";
import { feeOf, feeOfCharge } from "../../../src/policy/fee.ts";
import { eur, usd } from "../../doubles/policy-cases.ts";

it("is zero where the gateway adds none", () => {
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

describe("the fee booked with a charge", () => {
  const quoted = usd(1_000);
  const raised = { ratePpm: 900_000, fixed: null };
  const cases = [
    { charge: "as quoted", fee: raised, charged: usd(1_000), booked: 100 },
    { charge: "as quoted, after the fee was removed", fee: null, charged: usd(1_000), booked: 100 },
    { charge: "below the quote", fee: { ratePpm: 100_000, fixed: null }, charged: usd(600), booked: 60 },
    { charge: "below the quote, after the fee was raised", fee: raised, charged: usd(600), booked: 100 },
    { charge: "above the quote", fee: raised, charged: usd(2_000), booked: 1_800 },
    { charge: "in another currency", fee: raised, charged: eur(1_000), booked: 900 },
  ] as const;
  it.each(cases)("$charge is $booked", ({ fee, charged, booked }) => {
    expect(feeOfCharge(fee, { quoted, setAsideMicros: toMicros(100), charged })).toBe(booked);
  });
});
