import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decidePage } from "../../../src/policy/decide-page.ts";
import { explainIndexing, explainPage } from "../../../src/policy/explain-page.ts";
import type { Conditions } from "../../../src/policy/rule.ts";
import { allow, DAY_MS, deny, eur, full, listing, NOW, PAGE, policy, rate, usd } from "../../doubles/policy-cases.ts";

const CONTEXT = { now: NOW, currencies: new Set(["USD"]) };

describe("explainPage", () => {
  it("shows for each rate the result of each rule, up to the rule that matched", () => {
    const rules = [deny({ license: "CUSTOM_LICENSE" }), allow({ maxPrice: usd(20_000) }), allow()];
    const { findings, verdict } = explainPage(
      PAGE,
      listing(rate(usd(10_000)), full(usd(30_000))),
      policy(rules),
      CONTEXT,
    );
    expect(verdict).toMatchObject({ kind: "allowed", ruleIndex: 1 });
    expect(findings).toEqual([
      { ruleIndex: 0, rateIndex: 0, matched: false, failed: "license: requires CUSTOM_LICENSE, is ON_DEMAND_LICENSE" },
      { ruleIndex: 1, rateIndex: 0, matched: true, failed: null },
      {
        ruleIndex: 0,
        rateIndex: 1,
        matched: false,
        failed: "license: requires CUSTOM_LICENSE, is ON_DEMAND_FULL_USE_LICENSE",
      },
      { ruleIndex: 1, rateIndex: 1, matched: false, failed: "maxPrice: requires at most 0.02 USD, is 0.03 USD" },
      { ruleIndex: 2, rateIndex: 1, matched: true, failed: null },
    ]);
  });

  it("says why no rule was tried on a rate", () => {
    const given = listing(rate(usd(1)), rate(usd(1), {}, { validUntilAt: NOW }));
    expect(explainPage(PAGE, given, policy([allow()]), CONTEXT).flawedRates).toEqual([
      { rateIndex: 1, reason: "it has expired" },
    ]);
  });

  it.each<[Partial<Conditions>, string]>([
    [{ cuid: ["a", "b"] }, "cuid: requires one of a, b, is missing"],
    [{ permissions: ["FULL_USE"] }, "permissions: requires FULL_USE, has PARTIAL_USE"],
    [{ lacks: ["PARTIAL_USE"] }, "lacks: requires none of PARTIAL_USE, has PARTIAL_USE"],
    [{ currency: "EUR" }, "currency: requires EUR, is USD"],
    [{ minPrice: usd(20_000) }, "minPrice: requires at least 0.02 USD, is 0.01 USD"],
    [{ maxPrice: eur(20_000) }, "maxPrice: requires at most 0.02 EUR, is 0.01 USD"],
    [{ urls: ["/a/**", "/b/**"] }, "urls: requires /a/** or /b/**, is /news/story"],
    [{ modifiedWithinMs: DAY_MS / 2 }, "modifiedWithin: requires at most 12h ago, is 1d ago"],
  ])("names the condition that failed: %j", (conditions, failed) => {
    const given = listing(rate(usd(10_000), { permissions: ["PARTIAL_USE"] }));
    const { findings } = explainPage(PAGE, given, policy([allow(conditions)]), CONTEXT);
    expect(findings).toEqual([{ ruleIndex: 0, rateIndex: 0, matched: false, failed }]);
  });

  it("says so if the gateway does not list the permissions of a license", () => {
    const given = listing(rate(usd(10_000), { permissions: null }));
    const rules = [allow({ permissions: ["FULL_USE"] }), allow({ lacks: ["FULL_USE"] })];
    expect(explainPage(PAGE, given, policy(rules), CONTEXT).findings.map(({ failed }) => failed)).toEqual([
      "permissions: requires FULL_USE, and the gateway does not list its permissions",
      "lacks: requires none of FULL_USE, and the gateway does not list its permissions",
    ]);
  });

  it("says so when the page's modification is not known", () => {
    const page = { path: "/", lastModAt: null };
    const { findings } = explainIndexing(page, policy([allow({ modifiedWithinMs: 1 })]), NOW);
    expect(findings[0]?.failed).toContain("not known");
    expect(findings[0]?.rateIndex).toBeNull();
  });

  it("gives the verdict that decidePage gives", () => {
    const amounts = fc.integer({ min: 0, max: 4 });
    const rates = fc.array(
      fc.oneof(
        amounts.map((micros) => rate(usd(micros))),
        amounts.map((micros) => rate(eur(micros))),
        amounts.map((micros) => full(usd(micros))),
        amounts.map((micros) => rate(usd(micros), {}, { error: "x" })),
      ),
      { maxLength: 5 },
    );
    const conditions = fc.record({
      maxPrice: fc.option(amounts.map(usd)),
      license: fc.option(fc.constant("ON_DEMAND_LICENSE" as const)),
      urls: fc.option(fc.constantFrom(["/news/**"], ["/x/**"])),
    });
    const rules = fc.array(
      fc.tuple(fc.boolean(), conditions).map(([allows, asked]) => (allows ? allow(asked) : deny(asked))),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(rates, rules, (given, ruleList) => {
        const compiled = policy(ruleList);
        const explained = explainPage(PAGE, listing(...given), compiled, CONTEXT);
        expect(explained.verdict).toEqual(decidePage(PAGE, listing(...given), compiled, CONTEXT));
      }),
    );
  });
});
