/**
 * Promise 2: no purchase outside the policy. Random policies meet random rates; a reading of the rules that shares no code
 * with the one that decides says of each purchase whether its rule allows it.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toMicros } from "../../src/money/micros.ts";
import { decidePage } from "../../src/policy/decide-page.ts";
import { compilePolicy } from "../../src/policy/match-rule.ts";
import type { Conditions, Policy, Rule } from "../../src/policy/rule.ts";
import type { Rate, RateListing } from "../../src/rates/rate.ts";
import { NO_LIMIT, NOON, reservePages, toPrice } from "../doubles/ledger-shop.ts";
import { openTempLedger } from "../doubles/temp-ledger.ts";

const RUNS = 40;
const TYPES = ["ON_DEMAND_LICENSE", "ON_DEMAND_FULL_USE_LICENSE", "CUSTOM_LICENSE", "UNHEARD_OF"] as const;
const PERMISSIONS = ["PARTIAL_USE", "FULL_USE", "CITATION_REQUIRED"];
const CURRENCIES = ["USD", "EUR"];

const money = fc.record({
  micros: fc.integer({ min: 0, max: 6 }).map(toMicros),
  currency: fc.constantFrom(...CURRENCIES),
});
const permissions = fc.subarray(PERMISSIONS);
/** What the gateway does not say is null. */
const saidPermissions = fc.option(permissions, { nil: null, freq: 4 });
const rate: fc.Arbitrary<Rate> = fc.record({
  license: fc.record({
    licenseType: fc.constantFrom(...TYPES),
    cuid: fc.constantFrom("a", "b", null),
    licensePath: fc.constant(null),
    permissions: saidPermissions,
  }),
  price: money,
  error: fc.constantFrom(null, null, null, "withdrawn"),
  validUntilAt: fc.constantFrom(null, null, NOON - 1, NOON + 1),
});
const listing: fc.Arbitrary<RateListing> = fc.record({
  rates: fc.array(rate, { maxLength: 4 }),
  unreadable: fc.constant([]),
});

const orNull = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null, freq: 2 });
const conditions: fc.Arbitrary<Conditions> = fc.record({
  license: orNull(fc.constantFrom("ON_DEMAND_LICENSE", "ON_DEMAND_FULL_USE_LICENSE", "CUSTOM_LICENSE")),
  cuid: orNull(fc.subarray(["a", "b"], { minLength: 1 })),
  permissions: orNull(permissions),
  lacks: orNull(permissions),
  maxPrice: orNull(money),
  minPrice: orNull(money),
  currency: orNull(fc.constantFrom(...CURRENCIES)),
  urls: orNull(fc.constantFrom(["/news/**"], ["/blog/*"])),
  modifiedWithinMs: fc.constant(null),
});
const rule: fc.Arbitrary<Rule> = fc.record({
  effect: fc.constantFrom("allow", "allow", "deny"),
  conditions,
  value: fc.constant(null),
});
const policy: fc.Arbitrary<Policy> = fc.record({
  name: fc.constant("standard"),
  intent: fc.constant("content" as const),
  format: fc.constant("markdown" as const),
  prefer: fc.constantFrom("cheapest", "most-permissive"),
  inDoubt: fc.constant("hold" as const),
  retentionMs: fc.constant(null),
  onExpiry: fc.constant("keep" as const),
  rules: fc.array(rule, { minLength: 1, maxLength: 4 }),
});

/** What a lawyer would read in a rule. */
function isMet({ effect, conditions: c }: Rule, path: string, { license, price }: Rate): boolean {
  // What is not known may be so: reason enough to deny, none to allow.
  const hasAll = (names: readonly string[]) =>
    license.permissions === null
      ? effect === "deny" || names.length === 0
      : names.filter((name) => license.permissions?.indexOf(name) === -1).length === 0;
  const hasNone = (names: readonly string[]) =>
    license.permissions === null
      ? effect === "deny" || names.length === 0
      : names.filter((name) => license.permissions?.indexOf(name) !== -1).length === 0;
  const isWithin = (bound: Conditions["maxPrice"], fits: (limit: number) => boolean) =>
    bound === null || (bound.currency === price.currency && fits(bound.micros));
  return [
    c.license === null || c.license === license.licenseType,
    c.cuid === null || c.cuid.some((id) => id === license.cuid),
    c.permissions === null || hasAll(c.permissions),
    c.lacks === null || hasNone(c.lacks),
    isWithin(c.maxPrice, (limit) => price.micros <= limit),
    isWithin(c.minPrice, (limit) => price.micros >= limit),
    c.currency === null || c.currency === price.currency,
    c.urls === null || c.urls.some((glob) => path.startsWith(glob.slice(0, glob.indexOf("*")))),
  ].every(Boolean);
}

describe("promise 2", () => {
  it("never buys what the first matching rule does not allow, and gives the reason for every other page", async () => {
    const paths = ["/news/1", "/news/2", "/blog/3", "/blog/4", "/other"];
    await fc.assert(
      fc.asyncProperty(policy, fc.tuple(listing, listing, listing, listing, listing), async (terms, listings) => {
        const { ledger } = await openTempLedger();
        const compiled = compilePolicy(terms);
        const listingOf = (url: string) => listings[paths.indexOf(new URL(url).pathname)] as RateListing;
        const { purchases } = await reservePages(ledger, {
          paths,
          budgets: [NO_LIMIT, { ...NO_LIMIT, currency: "EUR" }],
          judge: ({ pageId, url }) => {
            const page = { path: new URL(url).pathname, lastModAt: null };
            const verdict = decidePage(page, listingOf(url), compiled, { now: NOON, currencies: new Set(CURRENCIES) });
            return {
              pageId,
              listing: listingOf(url),
              verdict:
                verdict.kind === "allowed"
                  ? { kind: "allowed", ruleIndex: verdict.ruleIndex, price: verdict.rate && toPrice(verdict.rate) }
                  : { ...verdict, detail: null },
            };
          },
        });
        for (const path of paths) {
          const url = `https://news.example${path}`;
          const record = await ledger.readPage(url);
          const bought = record?.purchases[0];
          expect((record?.purchases.length ?? 0) + (record?.denials.length ?? 0), "a purchase or a reason").toBe(1);
          if (bought === undefined) {
            continue;
          }
          // The token is asked for at exactly what was decided.
          const open = purchases.find(({ purchaseId }) => purchaseId === bought.purchaseId);
          expect(open?.quote).toEqual({
            price: { micros: bought.quotedMicros, currency: bought.currency },
            license: bought.license,
          });
          const rates = listingOf(url).rates.filter(
            ({ license, price, error, validUntilAt }) =>
              error === null &&
              (validUntilAt === null || validUntilAt > NOON) &&
              price.micros === bought.quotedMicros &&
              price.currency === bought.currency &&
              JSON.stringify(license) === JSON.stringify(bought.license),
          );
          expect(rates.length, "a rate that the gateway listed").toBeGreaterThan(0);
          expect(TYPES.indexOf((bought.license?.licenseType ?? "UNHEARD_OF") as (typeof TYPES)[number])).toBeLessThan(
            3,
          );
          const first = terms.rules.findIndex(
            (candidate) => rates[0] !== undefined && isMet(candidate, path, rates[0]),
          );
          expect(first, "the rule that is named is the first that matches").toBe(bought.ruleIndex);
          expect(terms.rules[first]?.effect).toBe("allow");
        }
        expect((await ledger.audit({ budgets: [], now: NOON })).violations).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});
