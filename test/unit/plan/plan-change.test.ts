import fc from "fast-check";
import { expect, test } from "vitest";
import { toMicros } from "../../../src/money/micros.ts";
import { findChange, moneyOf, type PagePrice } from "../../../src/plan/plan-change.ts";

const URL = "https://news.example/a";
const price = (micros: number, currency = "USD", cuid: string | null = "c1"): PagePrice => ({
  maxPriceMicros: toMicros(micros),
  currency,
  license: { licenseType: "CUSTOM_LICENSE", cuid },
});
const INDEXED: PagePrice = { maxPriceMicros: null, currency: null, license: null };

test.each<[string, PagePrice | null, PagePrice | null, string | null, Record<string, number>]>([
  ["is added", null, price(5), "added", { USD: 5 }],
  ["is dropped", price(5), null, "dropped", { USD: -5 }],
  ["costs more", price(5), price(7), "changed", { USD: 2 }],
  ["costs less", price(7), price(5), "changed", { USD: -2 }],
  ["costs as much in another currency", price(5), price(5, "EUR"), "changed", { EUR: 5, USD: -5 }],
  ["is under another license for the same price", price(5), price(5, "USD", "c2"), "changed", { USD: 0 }],
  ["is bought and was only indexed", INDEXED, price(5), "changed", { USD: 5 }],
  ["is the same", price(5), price(5), null, {}],
  ["is only indexed in both", INDEXED, INDEXED, null, {}],
  ["is in none", null, null, null, {}],
])("a page that %s", (_name, before, after, change, money) => {
  const found = findChange(URL, before, after);
  expect(found?.change ?? null).toBe(change);
  expect(found === null ? {} : Object.fromEntries(moneyOf(found))).toEqual(money);
});

test("what the changes add to the earlier sum is the later sum, in each currency", () => {
  const side = fc.option(
    fc.oneof(
      fc.constant(INDEXED),
      fc.tuple(fc.nat(1_000), fc.constantFrom("USD", "EUR")).map(([micros, currency]) => price(micros, currency)),
    ),
    { nil: null },
  );
  const sumOf = (sides: readonly (PagePrice | null)[], currency: string) =>
    sides.reduce((sum, one) => sum + (one?.currency === currency ? (one.maxPriceMicros ?? 0) : 0), 0);
  fc.assert(
    fc.property(fc.array(fc.tuple(side, side)), (pages) => {
      for (const currency of ["USD", "EUR"]) {
        const change = pages.reduce((sum, [before, after]) => {
          const found = findChange(URL, before, after);
          return sum + (found === null ? 0 : (moneyOf(found).get(currency) ?? 0));
        }, 0);
        const [before, after] = [0, 1].map((side) => pages.map((page) => page[side] ?? null));
        expect(sumOf(before ?? [], currency) + change).toBe(sumOf(after ?? [], currency));
      }
    }),
  );
});
