import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ListedTerms } from "../../../src/list/list-entry.ts";
import { toMicros } from "../../../src/money/micros.ts";
import { decidePage } from "../../../src/policy/decide-page.ts";
import { allow, deny, eur, full, listing, NOW, PAGE, policy, rate, usd } from "../../doubles/policy-cases.ts";

const FEE_MICROS = 3;
const NO_TERMS: ListedTerms = { maxPrice: null, license: null, value: null };

const decide = (compiled: ReturnType<typeof policy>, given: ReturnType<typeof listing>, terms: Partial<ListedTerms>) =>
  decidePage(PAGE, given, compiled, {
    now: NOW,
    currencies: new Set(["USD", "EUR"]),
    listed: {
      terms: { ...NO_TERMS, ...terms },
      costOf: ({ price }) => toMicros(price.micros === 0 ? 0 : price.micros + FEE_MICROS),
    },
  });

const denied = (reason: string, ruleIndex: number | null = 0) => ({ kind: "denied", reason, ruleIndex });

describe("decidePage, on a page of a list", () => {
  const anything = policy([allow()]);

  it("counts what the purchase sets aside against the cap, with its fee", () => {
    expect(decide(anything, listing(rate(usd(7))), { maxPrice: usd(10) })).toMatchObject({ kind: "allowed" });
    expect(decide(anything, listing(rate(usd(8))), { maxPrice: usd(10) })).toEqual(denied("max_price"));
    expect(decide(anything, listing(rate(usd(0))), { maxPrice: usd(0) })).toMatchObject({ kind: "allowed" });
    expect(decide(anything, listing(rate(eur(1))), { maxPrice: usd(10) })).toEqual(denied("max_price"));
  });

  it("buys what the policy prefers among the rates below the cap", () => {
    const permissive = policy([allow()], { prefer: "most-permissive" });
    const given = listing(rate(usd(5)), full(usd(50)));
    expect(decide(permissive, given, {})).toMatchObject({ rate: { price: usd(50) } });
    expect(decide(permissive, given, { maxPrice: usd(20) })).toMatchObject({ rate: { price: usd(5) } });
  });

  it("buys under the license that a plan names, or not at all", () => {
    const { licenseType, cuid } = full(usd(1)).license;
    const given = listing(rate(usd(1)), full(usd(5)));
    expect(decide(anything, given, { license: { licenseType, cuid } })).toMatchObject({ rate: { price: usd(5) } });
    expect(decide(anything, given, { license: { licenseType, cuid: "another" } })).toEqual(denied("not_planned"));
    expect(decide(anything, given, { license: { licenseType, cuid }, maxPrice: usd(4) })).toEqual(denied("max_price"));
  });

  it("lets no list buy what the policy does not", () => {
    expect(decide(policy([deny()]), listing(rate(usd(1))), { maxPrice: usd(99) })).toEqual(denied("denied_by_rule"));
  });

  it("never allows a rate that sets aside more than the cap", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(30), { minLength: 1, maxLength: 5 }), fc.nat(30), (prices, cap) => {
        const verdict = decide(anything, listing(...prices.map((micros) => rate(usd(micros)))), { maxPrice: usd(cap) });
        const affordable = prices.filter((micros) => (micros === 0 ? 0 : micros + FEE_MICROS) <= cap);
        expect(verdict).toMatchObject(
          affordable.length === 0 ? denied("max_price") : { rate: { price: usd(Math.min(...affordable)) } },
        );
      }),
    );
  });
});
