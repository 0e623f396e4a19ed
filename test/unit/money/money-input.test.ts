import { expect, it } from "vitest";
import { toMicros } from "../../../src/money/micros.ts";
import { type MoneyInput, money } from "../../../src/money/money-input.ts";
import { parseMoney } from "../../../src/money/parse-money.ts";

const AMOUNT = { micros: toMicros(12_500_000), currency: "USD" };

it.each<MoneyInput>(["12.50 USD", { micros: 12_500_000, currency: "USD" }, AMOUNT])("reads %j", (input) => {
  expect(money(input)).toEqual(AMOUNT);
});

it.each<[input: unknown, reason: RegExp]>([
  ["5", /the currency is missing/],
  [{ micros: 0.5, currency: "USD" }, /micros must be a whole number, 0 or more/],
  [{ micros: -1, currency: "USD" }, /micros must be a whole number, 0 or more/],
  [{ micros: "5", currency: "USD" }, /micros must be a whole number/],
  [{ micros: 2 ** 53, currency: "USD" }, /micros must be a whole number/],
  [{ micros: 5, currency: "usd" }, /code in capitals/],
  [{ micros: 5 }, /code in capitals/],
  [5, /micros must be a whole number/],
  [null, /micros must be a whole number/],
  [undefined, /micros must be a whole number/],
])("refuses %j with a hint", (input, reason) => {
  expect(() => money(input as MoneyInput)).toThrow(
    expect.objectContaining({
      code: "MONEY_INVALID",
      message: expect.stringMatching(reason),
      hint: expect.stringContaining("12.50 USD"),
    }),
  );
});

it.each([5, null, undefined, {}])("parseMoney refuses %j, which is not a text", (value) => {
  expect(() => parseMoney(value as never)).toThrow(expect.objectContaining({ code: "MONEY_INVALID" }));
});
