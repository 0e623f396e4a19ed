import { describe, expect, it } from "vitest";
import { parseMoney } from "../../../src/money/parse-money.ts";
import { suggestMoney } from "../../../src/money/suggest-money.ts";

describe("suggestMoney", () => {
  it.each([
    ["5", "5 USD"],
    ["0.25", "0.25 USD"],
    ["5 usd", "5 USD"],
    ["5EUR", "5 EUR"],
    ["$5", "5 USD"],
    ["5 €", "5 EUR"],
    ["USD 5.50", "5.50 USD"],
    ["1,000.00 USD", "1000.00 USD"],
    ["1'000'000 CHF", "1000000 CHF"],
    ["1.000,50 EUR", "1000.50 EUR"],
    ["5,00 USD", "5.00 USD"],
  ])("makes of %j the amount %j, which can be read", (text, suggestion) => {
    expect(suggestMoney(text)).toBe(suggestion);
    expect(() => parseMoney(suggestion)).not.toThrow();
  });

  it.each([
    "",
    "cheap",
    "-5 USD",
    "5 dollars and more",
    "1,2,3 USD",
    "1e3 USD",
    "0.0000001 USD",
    "9007199254.740992 USD",
  ])("makes nothing of %j", (text) => {
    expect(suggestMoney(text)).toBeNull();
  });
});
