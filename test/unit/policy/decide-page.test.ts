import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideIndexing, decidePage } from "../../../src/policy/decide-page.ts";
import type { CompiledPolicy } from "../../../src/policy/match-rule.ts";
import type { RateListing } from "../../../src/rates/rate.ts";
import { allow, deny, eur, full, listing, NOW, PAGE, policy, rate, usd } from "../../doubles/policy-cases.ts";

const decide = (compiled: CompiledPolicy, given: RateListing, currencies = ["USD"]) =>
  decidePage(PAGE, given, compiled, { now: NOW, currencies: new Set(currencies) });

const denied = (reason: string, ruleIndex: number | null) => ({ kind: "denied", reason, ruleIndex });
const cited = (micros: number) => rate(usd(micros), { permissions: ["PARTIAL_USE", "CITATION_REQUIRED"] });

describe("decidePage, on what passes", () => {
  it("names the rule that let the rate pass", () => {
    const rules = [deny({ license: "CUSTOM_LICENSE" }), allow({ maxPrice: usd(5) }), allow()];
    expect(decide(policy(rules), listing(rate(usd(9))))).toEqual({ kind: "allowed", ruleIndex: 2, rate: rate(usd(9)) });
    expect(decide(policy(rules), listing(rate(usd(5))))).toMatchObject({ ruleIndex: 1 });
  });

  it("decides each rate by the first rule that matches it, so a deny can remove single licenses", () => {
    const rules = [deny({ permissions: ["CITATION_REQUIRED"] }), allow()];
    expect(decide(policy(rules), listing(cited(1), rate(usd(9))))).toMatchObject({
      ruleIndex: 1,
      rate: { price: usd(9) },
    });
  });

  it("does not let a later deny undo what an earlier rule allowed", () => {
    const rules = [allow({ maxPrice: usd(5) }), deny()];
    expect(decide(policy(rules), listing(rate(usd(5)), rate(usd(6))))).toMatchObject({ kind: "allowed", ruleIndex: 0 });
  });

  it("allows a free page", () => {
    expect(decide(policy([allow({ maxPrice: usd(0) })]), listing(rate(usd(0))))).toMatchObject({ kind: "allowed" });
  });
});

describe("decidePage, on what does not pass", () => {
  it.each([
    ["no rates", policy([allow()]), listing(), denied("not_licensable", null)],
    [
      "an unreadable rate alone",
      policy([allow()]),
      { rates: [], unreadable: ["bad price"] },
      denied("no_usable_rate", null),
    ],
    [
      "a flawed rate alone",
      policy([allow()]),
      listing(rate(usd(1), {}, { error: "x" })),
      denied("no_usable_rate", null),
    ],
    ["no rules", policy([]), listing(rate(usd(1))), denied("no_rule_matched", null)],
    ["no matching rule", policy([allow({ maxPrice: usd(1) })]), listing(rate(usd(2))), denied("no_rule_matched", null)],
    ["a deny rule", policy([allow({ maxPrice: usd(1) }), deny()]), listing(rate(usd(2))), denied("denied_by_rule", 1)],
    [
      "two deny rules",
      policy([deny({ license: "ON_DEMAND_LICENSE" }), deny({ license: "ON_DEMAND_FULL_USE_LICENSE" })]),
      listing(full(usd(1)), rate(usd(1))),
      denied("denied_by_rule", 0),
    ],
    [
      "one rate denied and one unmatched",
      policy([allow({ currency: "EUR" }), deny({ license: "ON_DEMAND_LICENSE" })]),
      listing(full(usd(1)), rate(usd(1))),
      denied("denied_by_rule", 1),
    ],
    ["a currency without a budget", policy([allow()]), listing(rate(eur(1))), denied("no_budget_in_currency", 0)],
    [
      "a free page in a currency without a budget",
      policy([allow()]),
      listing(rate(eur(0))),
      denied("no_budget_in_currency", 0),
    ],
  ])("denies with its reason: %s", (_, compiled, given, verdict) => {
    expect(decide(compiled, given)).toEqual(verdict);
  });
});

describe("decidePage, on its preference", () => {
  const prefer = (preference: "cheapest" | "most-permissive", given: RateListing, currencies?: string[]) => {
    const verdict = decide(policy([allow()], { prefer: preference }), given, currencies);
    return verdict.kind === "allowed" ? verdict.rate : verdict;
  };

  it("buys the cheapest", () => {
    expect(prefer("cheapest", listing(full(usd(3)), rate(usd(2)), cited(4)))).toEqual(rate(usd(2)));
  });

  it("buys the most permissive at any price", () => {
    expect(prefer("most-permissive", listing(rate(usd(1)), full(usd(9)), cited(0)))).toEqual(full(usd(9)));
    expect(prefer("most-permissive", listing(cited(1), rate(usd(2))))).toEqual(rate(usd(2)));
  });

  it("buys the more permissive of two at one price, and the cheaper of two with the same rights", () => {
    expect(prefer("cheapest", listing(rate(usd(2)), full(usd(2))))).toEqual(full(usd(2)));
    expect(prefer("most-permissive", listing(full(usd(3)), full(usd(2))))).toEqual(full(usd(2)));
  });

  it("knows the rights of a standard license whose permissions the gateway left out", () => {
    expect(prefer("most-permissive", listing(rate(usd(1)), full(usd(9), [])))).toEqual(full(usd(9), []));
    const silent = full(usd(9), null);
    expect(prefer("most-permissive", listing(rate(usd(1)), silent))).toEqual(silent);
  });

  it("never compares amounts of different currencies: the budgets' order decides", () => {
    const given = listing(rate(eur(1)), rate(usd(1_000_000)));
    expect(prefer("cheapest", given, ["USD", "EUR"])).toEqual(rate(usd(1_000_000)));
    expect(prefer("cheapest", given, ["EUR", "USD"])).toEqual(rate(eur(1)));
  });

  it("skips rates in currencies without a budget", () => {
    expect(prefer("cheapest", listing(rate(eur(1)), rate(usd(5))))).toEqual(rate(usd(5)));
  });

  it("gives the same choice in whatever order the gateway lists the rates", () => {
    const rates = [
      rate(usd(2)),
      full(usd(2)),
      cited(2),
      rate(usd(2), { licenseType: "CUSTOM_LICENSE", cuid: "b" }),
      rate(usd(2), { licenseType: "CUSTOM_LICENSE", cuid: "a" }),
      rate(eur(2)),
    ];
    const orders = fc.shuffledSubarray(rates, { minLength: rates.length });
    const preferences = fc.constantFrom("cheapest" as const, "most-permissive" as const);
    fc.assert(
      fc.property(orders, preferences, (order, preference) => {
        expect(prefer(preference, listing(...order), ["USD", "EUR"])).toEqual(full(usd(2)));
      }),
    );
    const customs = [rates[4], rates[3]].filter((custom) => custom !== undefined);
    expect(prefer("cheapest", listing(...customs.toReversed()))).toEqual(rates[4]);
  });
});

describe("decideIndexing", () => {
  const rules = [deny({ urls: ["/members/**"] }), allow({ urls: ["/news/**"] })];
  const at = (path: string) => decideIndexing({ path, lastModAt: null }, policy(rules, { intent: "indexing" }), NOW);

  it("lets the first rule that matches the page decide", () => {
    expect(at("/news/x")).toEqual({ kind: "allowed", ruleIndex: 1, rate: null });
    expect(at("/members/x")).toEqual(denied("denied_by_rule", 0));
    expect(at("/about")).toEqual(denied("no_rule_matched", null));
  });
});
