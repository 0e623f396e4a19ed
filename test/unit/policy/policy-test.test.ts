import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatVerdict, parseExpectation, RULED_DENIALS } from "../../../src/policy/expectation.ts";
import { explainPage } from "../../../src/policy/explain-page.ts";
import type { CompiledPolicy } from "../../../src/policy/match-rule.ts";
import { type PolicyTest, runPolicyTest } from "../../../src/policy/policy-test.ts";
import type { Rate } from "../../../src/rates/rate.ts";
import { allow, DAY_MS, deny, eur, full, listing, NOW, policy, rate, usd } from "../../doubles/policy-cases.ts";

const CONTEXT = { now: NOW, currencies: new Set(["USD"]) };
const CITED = ["CITATION_REQUIRED"];

function expecting(text: string, rates: readonly Rate[], change: Partial<PolicyTest> = {}): PolicyTest {
  const expected = parseExpectation(text);
  if (expected.kind === "fault") {
    throw new Error(`${text} cannot be read`);
  }
  return {
    policy: "test",
    index: 0,
    url: "https://news.example/news/story?page=2",
    listing: listing(...rates),
    modified: null,
    expected,
    ...change,
  };
}

const passes = (test: PolicyTest, compiled: CompiledPolicy) => runPolicyTest(test, compiled, CONTEXT).passed;

describe("runPolicyTest", () => {
  const rules = [deny({ permissions: CITED }), allow({ maxPrice: usd(20_000) }), allow({ currency: "EUR" })];
  it.each<[string, readonly Rate[]]>([
    ["allow 2", [rate(usd(20_000))]],
    ["allow 2 at 0.01 USD", [rate(usd(20_000)), full(usd(10_000))]],
    ["deny no_rule_matched", [rate(usd(20_001))]],
    ["deny denied_by_rule 1", [rate(usd(1), { permissions: CITED })]],
    ["deny denied_by_rule 1", [rate(usd(1), { permissions: null })]],
    ["deny not_licensable", []],
    ["deny no_usable_rate", [rate(usd(1), {}, { error: "withdrawn" }), rate(usd(1), {}, { validUntilAt: NOW })]],
    ["deny no_usable_rate", [rate(usd(1), { licenseType: "OTHER_LICENSE" })]],
    ["deny no_budget_in_currency 3", [rate(eur(1))]],
  ])("%s", (text, rates) => {
    expect(passes(expecting(text, rates), policy(rules))).toBe(true);
    const others = ["allow 3", ...RULED_DENIALS.map((reason) => `deny ${reason}`)].filter(
      (other) => !text.startsWith(other),
    );
    expect(others.filter((other) => passes(expecting(other, rates), policy(rules)))).toEqual([]);
  });

  it("decides the path of the URL, without its query", () => {
    const compiled = policy([deny({ urls: ["/news/*"] }), allow()]);
    expect(passes(expecting("deny denied_by_rule 1", [rate(usd(1))]), compiled)).toBe(true);
    const other = expecting("allow 2", [rate(usd(1))], { url: "https://news.example/a?b=/news/x" });
    expect(passes(other, compiled)).toBe(true);
  });

  it("takes a page's modification as a date, or as a time before now", () => {
    const compiled = policy([allow({ modifiedWithinMs: DAY_MS })]);
    const ends = (modified: PolicyTest["modified"]) =>
      formatVerdict(runPolicyTest(expecting("allow", [rate(usd(1))], { modified }), compiled, CONTEXT).verdict);
    expect(ends(null)).toBe("deny no_rule_matched");
    expect(ends({ at: NOW - DAY_MS - 1 })).toBe("deny no_rule_matched");
    expect(ends({ agoMs: DAY_MS })).toBe("allow 1 at 0.000001 USD");
  });

  it("decides a policy that only indexes by the page alone", () => {
    const compiled = policy([deny({ urls: ["/news/**"] }), allow()], { intent: "indexing" });
    expect(passes(expecting("deny denied_by_rule 1", []), compiled)).toBe(true);
    expect(passes(expecting("allow 2", [], { url: "https://news.example/" }), compiled)).toBe(true);
    expect(
      passes(expecting("deny no_rule_matched", []), policy([deny({ urls: ["/a"] })], { intent: "indexing" })),
    ).toBe(true);
  });

  it("agrees with explain: a test that expects its verdict passes, and one that expects another fails", () => {
    const amounts = fc.integer({ min: 0, max: 3 });
    const rates = fc.array(
      fc.oneof(
        amounts.map((micros) => rate(usd(micros))),
        amounts.map((micros) => rate(eur(micros))),
        amounts.map((micros) => full(usd(micros), null)),
        amounts.map((micros) => rate(usd(micros), {}, { error: "x" })),
      ),
      { maxLength: 4 },
    );
    const rule = fc
      .tuple(
        fc.boolean(),
        fc.record({ maxPrice: fc.option(amounts.map(usd)), permissions: fc.option(fc.constant(CITED)) }),
      )
      .map(([allows, asked]) => (allows ? allow(asked) : deny(asked)));
    fc.assert(
      fc.property(rates, fc.array(rule, { minLength: 1, maxLength: 4 }), rates, (given, list, others) => {
        const compiled = policy(list);
        const page = { path: "/news/story", lastModAt: null };
        const verdictOf = (offered: readonly Rate[]) =>
          formatVerdict(explainPage(page, listing(...offered), compiled, CONTEXT).verdict);
        const outcome = runPolicyTest(expecting(verdictOf(given), given), compiled, CONTEXT);
        expect(outcome).toMatchObject({ passed: true, ...explainPage(page, listing(...given), compiled, CONTEXT) });
        const isSame = verdictOf(others) === verdictOf(given);
        expect(passes(expecting(verdictOf(others), given), compiled)).toBe(isSame);
      }),
    );
  });
});
