/** The tests of a policy in a configuration: what they become, and what is wrong with those that can never pass. */
import { describe, expect, it } from "vitest";
import { errorOf, loadText, MINIMAL } from "./config-text.ts";

const withTest = (test: string, rules = "") => MINIMAL.replace("sites:", `${rules}    tests:\n      - ${test}\nsites:`);
const INDEXING = MINIMAL.replace("  standard:\n", "  standard:\n    intent: indexing\n").replace(
  "{ license: ON_DEMAND_LICENSE, maxPrice: 0.01 USD }",
  '{ urls: ["/a/**"] }',
);
const URL_AND_RATES = 'url: "https://news.example/a", rates: []';
const RATE = "license: ON_DEMAND_LICENSE, price: 0.01 USD";

it("a test of a policy is complete, with its expectation and rates parsed, and does not belong to the policy", async () => {
  const { policyTests, policies } = await loadText(
    withTest(
      `{ url: "https://news.example/a", lastMod: 2026-11-20, rates: [{ ${RATE} }, { license: CUSTOM_LICENSE, price: 1 EUR, cuid: c, permissions: [], validUntil: 2026-12-31, error: x }], expect: allow 1 at 0.01 USD }`,
    ),
  );
  expect(policyTests).toEqual([
    {
      policy: "standard",
      index: 0,
      url: "https://news.example/a",
      modified: { at: Date.parse("2026-11-20") },
      expected: { kind: "allowed", ruleIndex: 0, price: { micros: 10_000, currency: "USD" } },
      listing: {
        rates: [
          {
            license: { licenseType: "ON_DEMAND_LICENSE", cuid: null, licensePath: null, permissions: null },
            price: { micros: 10_000, currency: "USD" },
            error: null,
            validUntilAt: null,
          },
          {
            license: { licenseType: "CUSTOM_LICENSE", cuid: "c", licensePath: null, permissions: [] },
            price: { micros: 1_000_000, currency: "EUR" },
            error: "x",
            validUntilAt: Date.parse("2027-01-01"),
          },
        ],
        unreadable: [],
      },
    },
  ]);
  expect(policies.get("standard")).not.toHaveProperty("tests");
});

describe("a test that is wrong is an error at its line, with the nearest word:", () => {
  const DENY = "      - deny: { permissions: [CITATION_REQUIRED] }\n";
  it.each([
    ["no page", '{ url: "/a", rates: [], expect: allow 1 }', '"/a" is not the address of a page'],
    ["another effect", `{ ${URL_AND_RATES}, expect: alow 1 }`, 'must begin with allow or deny; did you mean "allow"?'],
    ["an unknown reason", `{ ${URL_AND_RATES}, expect: deny no_rule_match }`, 'did you mean "no_rule_matched"?'],
    [
      "a reason of a budget",
      `{ ${URL_AND_RATES}, expect: deny budget_exhausted }`,
      "expects a reason that no policy gives, but the gateway, a budget or the ledger; known here: no_rule_matched,",
    ],
    [
      "a rule by its name",
      `{ ${URL_AND_RATES}, expect: allow first }`,
      "must name its rule by a number, counted from 1",
    ],
    [
      "a rule that does not exist",
      `{ ${URL_AND_RATES}, expect: allow 3 }`,
      "names rule 3, which does not exist: the policy has 2, counted from 1",
    ],
    ["a deny rule that allows", `{ ${URL_AND_RATES}, expect: allow 2 }`, "names rule 2, which is a deny rule"],
    [
      "an allow rule that denies",
      `{ ${URL_AND_RATES}, expect: deny denied_by_rule 1 }`,
      "rule 1, which is an allow rule",
    ],
    ["a rule of no rule", `{ ${URL_AND_RATES}, expect: deny no_rule_matched 1 }`, "but no rule gives no_rule_matched"],
    ["no amount", `{ ${URL_AND_RATES}, expect: allow 1 at 2 }`, "must have an amount of money behind `at`"],
    ["no rates", '{ url: "https://news.example/a", expect: allow 1 }', "or [] when the gateway lists none"],
    ["two dates", `{ ${URL_AND_RATES}, lastMod: 2026-01-01, modified: 3d, expect: deny }`, "has lastMod and modified"],
    ["no date", `{ ${URL_AND_RATES}, lastMod: yesterday, expect: deny }`, '"yesterday" is not a date'],
    [
      "an unknown licence",
      '{ url: "https://news.example/a", rates: [{ license: ON_DEMAND_LICENCE, price: 1 USD }], expect: deny }',
      'tests[0].rates[0].license names an unknown licence; did you mean "ON_DEMAND_LICENSE"?',
    ],
    [
      "an unknown permission",
      `{ url: "https://news.example/a", rates: [{ ${RATE}, permissions: [FULL_USES] }], expect: deny }`,
      'tests[0].rates[0].permissions names an unknown permission; did you mean "FULL_USE"?',
    ],
    ["an unknown key", `{ ${URL_AND_RATES}, expects: deny }`, 'expects is not a known key; did you mean "expect"?'],
  ])("%s", async (_, test, message) => {
    const error = await errorOf(loadText(withTest(test, DENY)));
    expect(error.message).toContain(message);
    expect(error.message).toContain("licet.config.yaml:13 ");
  });

  it.each([
    [
      "rates",
      '{ url: "https://news.example/a", rates: [], expect: allow 1 }',
      "must be left out under intent: indexing",
    ],
    ["a price", '{ url: "https://news.example/a", expect: allow 1 at 1 USD }', "cannot happen under intent: indexing"],
    [
      "a reason of rates",
      '{ url: "https://news.example/a", expect: deny not_licensable }',
      "cannot happen under intent",
    ],
  ])("%s where pages are only indexed", async (_, test, message) => {
    const text = INDEXING.replace("sites:", `    tests:\n      - ${test}\nsites:`);
    expect((await errorOf(loadText(text))).message).toContain(message);
  });

  it("does not repeat a word, which may come from the environment", async () => {
    const error = await errorOf(
      loadText(withTest(`{ ${URL_AND_RATES}, expect: "deny \${SECRET}" }`), {
        LICET_API_KEY: "key-1234",
        SECRET: "hidden",
      }),
    );
    expect(error.message).toContain("names an unknown reason");
    expect(error.message).not.toContain("hidden");
  });
});
