import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toMicros } from "../../../src/money/micros.ts";
import type { Receipt } from "../../../src/usage/receipt.ts";
import { type ReconcilableEntry, reconcileReceipts } from "../../../src/usage/reconcile.ts";

const A = "https://news.example/a";
const B = "https://news.example/b";

function entry(url: string, timesUsed = 1, change: Partial<ReconcilableEntry> = {}): ReconcilableEntry {
  return {
    url,
    timesUsed,
    licenseType: "ON_DEMAND_LICENSE",
    licenseCuid: null,
    expectedUnitMicros: toMicros(100),
    currency: "USD",
    ...change,
  };
}

function receipt(url: string, times = 1, change: Partial<Receipt> = {}, unit = 100): Receipt {
  return {
    url,
    perUnitPriceMicros: toMicros(unit),
    totalUsePriceMicros: toMicros(unit * times),
    currency: "USD",
    licenseType: "ON_DEMAND_LICENSE",
    licenseCuid: null,
    ...change,
  };
}

const custom = (cuid: string | null) => ({ licenseType: "CUSTOM_LICENSE", licenseCuid: cuid });

describe("reconcileReceipts", () => {
  it("matches by URL, not by position", () => {
    const [a, b] = [receipt(A, 2), receipt(B, 3)];
    expect(reconcileReceipts([entry(A, 2), entry(B, 3)], [b, a])).toEqual({
      receipts: [a, b],
      surplus: [],
    });
  });

  it("leaves an entry without a receipt open, and counts a receipt without an entry as surplus", () => {
    const stray = receipt("https://other.example/");
    expect(reconcileReceipts([entry(A)], [stray])).toEqual({ receipts: [null], surplus: [stray] });
    expect(reconcileReceipts([entry(A)], [])).toEqual({ receipts: [null], surplus: [] });
  });

  it("uses each receipt once: equal entries need as many", () => {
    const given = receipt(A);
    expect(reconcileReceipts([entry(A), entry(A)], [given]).receipts).toEqual([given, null]);
    expect(reconcileReceipts([entry(A)], [given, { ...given }]).surplus).toEqual([given]);
  });

  it("distinguishes entries of one page by their count", () => {
    const [two, five] = [receipt(A, 2), receipt(A, 5)];
    expect(reconcileReceipts([entry(A, 5), entry(A, 2)], [two, five]).receipts).toEqual([five, two]);
  });

  it("distinguishes entries of one page by their expected price", () => {
    const [cheap, dear] = [receipt(A, 1, {}, 100), receipt(A, 1, {}, 200)];
    const entries = [entry(A, 1, { expectedUnitMicros: toMicros(200) }), entry(A)];
    expect(reconcileReceipts(entries, [cheap, dear]).receipts).toEqual([dear, cheap]);
  });

  it("distinguishes entries of one page by license, and uses a receipt without an id last", () => {
    const entries = [entry(A, 1, custom("x")), entry(A, 1, custom("y"))];
    const [unnamed, x] = [receipt(A, 1, custom(null)), receipt(A, 1, custom("x"))];
    expect(reconcileReceipts(entries, [unnamed, x]).receipts).toEqual([x, unnamed]);
  });

  it("accepts an id that the gateway names for a standard license reported without", () => {
    const given = receipt(A, 1, { licenseCuid: "standard-1" });
    expect(reconcileReceipts([entry(A)], [given]).receipts).toEqual([given]);
  });

  it.each([
    ["another licence type", receipt(A, 1, { licenseType: "ON_DEMAND_FULL_USE_LICENSE" }), {}],
    ["another custom licence", receipt(A, 1, custom("y")), custom("x")],
  ])("does not match %s", (_, given, change) => {
    const result = reconcileReceipts([entry(A, 1, change)], [given]);
    expect(result.receipts).toEqual([null]);
    expect(result.surplus).toEqual([given]);
  });

  it.each([["HTTPS://News.Example:443/a"], ["https://news.example/a/"], ["https://news.example/a#top"]])(
    "accepts the gateway's spelling %s",
    (url) => {
      const given = receipt(url);
      expect(reconcileReceipts([entry(A)], [given]).receipts).toEqual([given]);
    },
  );

  it("prefers the spelling that was sent", () => {
    const [plain, slashed] = [receipt(A), receipt(`${A}/`)];
    expect(reconcileReceipts([entry(`${A}/`), entry(A)], [plain, slashed]).receipts).toEqual([slashed, plain]);
  });

  it.each([
    ["another unit price, which may have changed since the quote", entry(A, 2), receipt(A, 2, {}, 150)],
    ["a total that is not unit price times count", entry(A, 3), receipt(A, 2)],
    ["another currency", entry(A), receipt(A, 1, { currency: "EUR" })],
  ])("pairs a receipt of %s with its entry all the same", (_, reported, given) => {
    expect(reconcileReceipts([reported], [given])).toEqual({ receipts: [given], surplus: [] });
  });

  it("does not lose the last micro of a total beyond the safe integers", () => {
    const unit = Number.MAX_SAFE_INTEGER;
    const [short, right] = [
      receipt(A, 1, { totalUsePriceMicros: toMicros(unit - 1) }, unit),
      receipt(A, 1, { totalUsePriceMicros: toMicros(unit) }, unit),
    ];
    expect(reconcileReceipts([entry(A), entry(A, 2)], [short, right]).receipts).toEqual([right, short]);
  });

  it("accounts for every receipt once: matched or surplus", () => {
    const urls = fc.constantFrom(A, B, `${A}/`, "not a url");
    const cuids = fc.constantFrom(null, "x", "y");
    const counts = fc.integer({ min: 1, max: 3 });
    const entries = fc.array(
      fc.tuple(urls, counts, cuids).map(([url, times, licenseCuid]) => entry(url, times, { licenseCuid })),
      { maxLength: 8 },
    );
    const receipts = fc.array(
      fc.tuple(urls, counts, cuids).map(([url, times, licenseCuid]) => receipt(url, times, { licenseCuid })),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(entries, receipts, (given, answered) => {
        const result = reconcileReceipts(given, answered);
        const matched = result.receipts.filter((one) => one !== null);
        expect(result.receipts).toHaveLength(given.length);
        expect(new Set([...matched, ...result.surplus])).toEqual(new Set(answered));
        expect(matched.length + result.surplus.length).toBe(answered.length);
      }),
    );
  });

  it("matches a complete and correct answer completely, in whatever order", () => {
    const shapes = fc.array(
      fc.tuple(fc.constantFrom(A, B), fc.integer({ min: 1, max: 4 }), fc.constantFrom("x", "y")),
      { maxLength: 10 },
    );
    fc.assert(
      fc.property(
        shapes.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([list, shuffled]) => {
          const entries = list.map(([url, times, cuid]) => entry(url, times, custom(cuid)));
          const receipts = shuffled.map(([url, times, cuid]) => receipt(url, times, custom(cuid)));
          const result = reconcileReceipts(entries, receipts);
          expect(result.receipts.every((one) => one !== null)).toBe(true);
          expect(result.surplus).toEqual([]);
        },
      ),
    );
  });
});
