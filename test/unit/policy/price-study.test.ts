import { describe, expect, it } from "vitest";
import { toMicros } from "../../../src/money/micros.ts";
import { type StudiedPage, type StudyTerms, studyPrices } from "../../../src/policy/price-study.ts";
import type { Policy, Rule } from "../../../src/policy/rule.ts";
import type { KnownLicenseType } from "../../../src/rates/license.ts";
import type { Rate } from "../../../src/rates/rate.ts";
import { allow, deny, toPolicy } from "../../doubles/policy-cases.ts";

const NOW = Date.UTC(2026, 10, 20);
const usd = (micros: number) => ({ micros: toMicros(micros), currency: "USD" });
const policyOf = (...rules: Rule[]) => toPolicy(rules);

const rate = (micros: number, currency = "USD", licenseType: KnownLicenseType = "ON_DEMAND_LICENSE"): Rate => ({
  license: { licenseType, cuid: "c", licensePath: null, permissions: null },
  price: { micros: toMicros(micros), currency },
  error: null,
  validUntilAt: null,
});

const pageOf = (rates: readonly Rate[], page: Partial<StudiedPage> = {}): StudiedPage => ({
  path: "/news/a",
  lastModAt: null,
  at: NOW,
  listing: { rates, unreadable: [] },
  isApproved: false,
  ...page,
});

const study = (pages: readonly StudiedPage[], policy: Policy, terms: Partial<StudyTerms> = {}) =>
  studyPrices(pages, {
    policy,
    currencies: new Set(["USD", "EUR"]),
    currency: "USD",
    maxPrice: null,
    fee: null,
    isFetchBilled: false,
    ...terms,
  });

describe("what another maxPrice would have bought", () => {
  const POLICY = policyOf(deny({ urls: ["/shop/**"] }), allow({ maxPrice: usd(20_000) }));
  const PAGES = [
    ...[10_000, 20_000, 20_001, 50_000].map((micros) => pageOf([rate(micros)], { isApproved: micros <= 20_000 })),
    pageOf([rate(10_000)], { path: "/shop/x" }),
    pageOf([]),
    pageOf([rate(10_000, "EUR")]),
  ];

  it("counts pages and money as the rules decide, inclusive of the price itself", () => {
    const { pages, asConfigured, asked, limits } = study(PAGES, POLICY, { maxPrice: usd(20_001) });
    expect(pages).toBe(7);
    expect(limits).toEqual([{ ruleIndex: 1, maxPriceMicros: 20_000, currency: "USD" }]);
    expect(asConfigured).toEqual({ maxPriceMicros: null, currency: "USD", pages: 2, costMicros: 30_000 });
    expect(asked).toEqual({ maxPriceMicros: 20_001, currency: "USD", pages: 3, costMicros: 50_001 });
  });

  it("says which pages no maxPrice buys, and why", () => {
    expect(study(PAGES, POLICY).never).toEqual([
      { reason: "denied_by_rule", pages: 1 },
      { reason: "not_licensable", pages: 1 },
      { reason: "no_rule_matched", pages: 1 },
    ]);
    const euros = policyOf(allow({ currency: "EUR" }), allow({ maxPrice: usd(1) }));
    expect(study([pageOf([rate(10_000, "EUR")])], euros).never).toEqual([{ reason: "other_currency", pages: 1 }]);
  });

  it("counts what a purchase sets aside: the fee, and the report of the fetch where it is billed", () => {
    const fee = { ratePpm: 100_000, fixed: null };
    const { asConfigured } = study([pageOf([rate(10_000)])], POLICY, { fee, isFetchBilled: true });
    expect(asConfigured.costMicros).toBe(10_000 + 1_000 + 10_000);
  });

  it("decides each page at the time of its decision", () => {
    const fresh = policyOf(allow({ maxPrice: usd(20_000), modifiedWithinMs: 1_000 }));
    const old = { ...rate(10_000), validUntilAt: NOW + 500 };
    const pages = [pageOf([old], { lastModAt: NOW - 900 }), pageOf([old], { lastModAt: NOW - 900, at: NOW + 600 })];
    expect(study(pages, fresh).asConfigured.pages).toBe(1);
  });
});

describe("the histogram of prices", () => {
  it("has every priced page in one bucket, with a limit at the end of a bucket", () => {
    const prices = [0, 1, 9_999, 10_000, 10_001, 20_000, 20_001, 33_333, 1_000_000];
    const pages = prices.flatMap((micros) => Array.from({ length: 20 }, () => pageOf([rate(micros)])));
    const { buckets } = study(pages, policyOf(allow({ maxPrice: usd(20_000) })));
    expect(buckets.length).toBeLessThanOrEqual(21);
    expect(buckets.reduce((sum, bucket) => sum + bucket.pages, 0)).toBe(pages.length);
    const ends = buckets.map(({ toMicros }) => toMicros);
    expect(ends).toContain(20_000);
    expect(ends.at(-1)).toBeNull();
    for (const [index, { fromMicros, toMicros: to, pages: count }] of buckets.entries()) {
      const inside = prices.filter(
        (micros) => (micros > fromMicros || (index === 0 && micros === 0)) && (to === null || micros <= to),
      );
      expect(count).toBe(20 * inside.length);
      expect(fromMicros).toBe(index === 0 ? 0 : buckets[index - 1]?.toMicros);
    }
  });

  it("separates what the limit buys from what it does not", () => {
    const pages = [5_000, 20_000, 20_001, 45_000].map((micros) => pageOf([rate(micros)]));
    const { buckets, asConfigured } = study(pages, policyOf(allow({ maxPrice: usd(20_000) })));
    const below = buckets.filter(({ toMicros }) => toMicros !== null && toMicros <= 20_000);
    expect(below.reduce((sum, bucket) => sum + bucket.pages, 0)).toBe(asConfigured.pages);
  });

  it("is empty without a priced page, and has one bucket where everything is free", () => {
    const policy = policyOf(allow({}));
    expect(study([], policy).buckets).toEqual([]);
    expect(study([pageOf([rate(0)])], policy).buckets).toEqual([
      { fromMicros: 0, toMicros: 1, currency: "USD", pages: 1, approved: 0 },
    ]);
  });
});
