import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLicetError } from "../../../src/errors.ts";
import { decimalsOf, formatMoney, formatWithDecimals } from "../../../src/money/format-money.ts";
import { toMicros } from "../../../src/money/micros.ts";
import { parseMoney } from "../../../src/money/parse-money.ts";

const amounts = fc.maxSafeNat().map(toMicros);
const currencies = fc.stringMatching(/^[A-Z][A-Z0-9]{2,7}$/);

function errorOf(text: string): unknown {
  try {
    parseMoney(text);
  } catch (error) {
    return error;
  }
  return null;
}

describe("parseMoney", () => {
  it.each([
    ["12.50 USD", 12_500_000, "USD"],
    ["0.02 USD", 20_000, "USD"],
    ["5 EUR", 5_000_000, "EUR"],
    ["0.000001 USD", 1, "USD"],
    ["0 USD", 0, "USD"],
    ["  1.5   USD ", 1_500_000, "USD"],
    ["9007199254.740991 USD", Number.MAX_SAFE_INTEGER, "USD"],
    ["0.1 USD", 100_000, "USD"],
    ["4.35 USD", 4_350_000, "USD"],
  ])("reads %s exactly", (text, micros, currency) => {
    expect(parseMoney(text)).toEqual({ micros, currency });
  });

  it.each([
    ["USD 12.50", "the amount first"],
    ["1,000 USD", "thousands separators"],
    ["1'000.00 USD", "thousands separators"],
    ["12,50 USD", "after a point"],
    ["-1 USD", "negative"],
    ["12.50", "currency is missing"],
    ["$12.50", "as a code"],
    ["12.50 usd", "in capitals"],
    ["12.50USD", "after a space"],
    ["0.0000001 USD", "6 decimals"],
    ["9007199254.740992 USD", "too large"],
    ["1e3 USD", "decimal amount"],
    [".5 USD", "decimal amount"],
    ["5. USD", "decimal amount"],
    ["", "decimal amount"],
    ["NaN USD", "decimal amount"],
    ["١٢ USD", "decimal amount"],
  ])("refuses %j and says why", (text, reason) => {
    const error = errorOf(text);
    expect(isLicetError(error, "MONEY_INVALID")).toBe(true);
    expect(String(error)).toContain(reason);
    expect(String(error)).toContain(JSON.stringify(text));
    expect(isLicetError(error) && error.hint).toContain("12.50 USD");
  });

  it("repeats only the beginning of a long text", () => {
    expect(String(errorOf("9".repeat(10_000))).length).toBeLessThan(200);
  });

  it("is the inverse of formatMoney, with however many decimals", () => {
    fc.assert(
      fc.property(amounts, currencies, fc.nat(6), (micros, currency, least) => {
        expect(parseMoney(formatMoney({ micros, currency }))).toEqual({ micros, currency });
        const text = formatWithDecimals({ micros, currency }, least);
        expect(parseMoney(text)).toEqual({ micros, currency });
        expect(text.split(" ")[0]?.split(".")[1]).toHaveLength(Math.max(least, decimalsOf(micros)));
      }),
    );
  });
});

describe("formatMoney", () => {
  it.each([
    [12_500_000, "12.50 USD"],
    [0, "0.00 USD"],
    [1, "0.000001 USD"],
    [1_234_500, "1.2345 USD"],
    [-500_000, "-0.50 USD"],
    [Number.MAX_SAFE_INTEGER, "9007199254.740991 USD"],
  ])("writes %d micros as %s", (micros, text) => {
    expect(formatMoney({ micros: toMicros(micros), currency: "USD" })).toBe(text);
  });
});
