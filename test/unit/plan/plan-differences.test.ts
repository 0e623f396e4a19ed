import { expect, test } from "vitest";
import type { ConfigInput } from "../../../src/config/config-input.ts";
import { parseConfig } from "../../../src/config/load-config.ts";
import { describeDifference, findDifferences } from "../../../src/plan/plan-differences.ts";
import { type PlanTerms, toPlanTerms } from "../../../src/plan/plan-terms.ts";

const CONFIG = {
  gateway: {
    baseUrl: "http://127.0.0.1:8402",
    service: "Service",
    apiKey: "key-in-no-plan",
    agentId: "acme",
    fee: { percent: 2.5 },
  },
  budgets: [{ scope: "all", limit: "5 USD" }],
  policies: {
    standard: {
      rules: [
        { deny: { permissions: ["CITATION_REQUIRED"] } },
        { allow: { license: "ON_DEMAND_LICENSE", maxPrice: "0.01 USD", modifiedWithin: "30d" } },
        { allow: { urls: ["/news/**"], value: 3 } },
      ],
    },
    other: { rules: [{ allow: {} }] },
  },
  sites: [
    { host: "news.example", policy: "standard", include: ["/2026/**"] },
    { host: "blog.example", policy: "other" },
  ],
} as const satisfies ConfigInput;

type Changed = { -readonly [Key in keyof ConfigInput]: ConfigInput[Key] };

function terms(changes: Changed = {} as Changed, hosts: readonly string[] = ["news.example"]): PlanTerms {
  const config = parseConfig({ ...CONFIG, ...changes } as ConfigInput, { cwd: "/", env: {} });
  // As it comes back out of a file.
  return JSON.parse(JSON.stringify(toPlanTerms(config, hosts, "catalog"))) as PlanTerms;
}

function differences(changes: Partial<ConfigInput>): string[] {
  return findDifferences(terms(), terms(changes as Changed)).map(describeDifference);
}

test("the terms of a plan have no secret, and only its sites and their policies", () => {
  expect(JSON.stringify(terms())).not.toContain("key-in-no-plan");
  expect(terms()).toMatchObject({
    gateway: { agentId: "acme", fee: { percent: "2.5" } },
    policies: { standard: { rules: [{}, { allow: { maxPrice: "0.01 USD", modifiedWithin: "30d" } }, {}] } },
  });
  expect(Object.keys(terms().sites)).toEqual(["news.example"]);
});

test.each<[string, Partial<ConfigInput>]>([
  ["the key", { gateway: { ...CONFIG.gateway, apiKey: "another" } }],
  ["a budget", { budgets: [{ scope: "all", limit: "1 USD" }] }],
  ["a limit of runs", { run: { maxPages: 3 } }],
  ["another site", { sites: [CONFIG.sites[0]] }],
  ["the schedule", { sites: [{ ...CONFIG.sites[0], schedule: "0 6 * * *" }] }],
  ["the policy of another site", { policies: { ...CONFIG.policies, other: { rules: [{ deny: {} }] } } }],
])("%s makes no difference", (_, changes) => {
  expect(differences(changes)).toEqual([]);
});

const [deny, allow, last] = CONFIG.policies.standard.rules;
const withRules = (...rules: NonNullable<ConfigInput["policies"]>[string]["rules"]): Partial<ConfigInput> => ({
  policies: { ...CONFIG.policies, standard: { rules } },
});

test.each<[string, Partial<ConfigInput>, string[]]>([
  [
    "the gateway",
    { gateway: { ...CONFIG.gateway, baseUrl: "http://127.0.0.1:1" } },
    ['gateway.baseUrl was "http://127.0.0.1:8402", is now "http://127.0.0.1:1"'],
  ],
  ["the fee", { gateway: { ...CONFIG.gateway, fee: { percent: 3 } } }, ['gateway.fee.percent was "2.5", is now "3"']],
  [
    "a rule",
    withRules(deny, { allow: { license: "ON_DEMAND_LICENSE", maxPrice: "0.02 USD" } }, last),
    [
      'policies.standard.rules[1] was {"allow":{"license":"ON_DEMAND_LICENSE","maxPrice":"0.01 USD","modifiedWithin":"30d"}}, is now {"allow":{"license":"ON_DEMAND_LICENSE","maxPrice":"0.02 USD"}}',
    ],
  ],
  [
    "a new first rule, which leaves the others as they are",
    withRules({ deny: { currency: "EUR" } }, deny, allow, last),
    ['policies.standard.rules[0] is new: {"deny":{"currency":"EUR"}}'],
  ],
  [
    "a rule that is gone",
    withRules(allow, last),
    ['policies.standard.rules[0] is gone, was {"deny":{"permissions":["CITATION_REQUIRED"]}}'],
  ],
  [
    "the policy of a site",
    { sites: [{ ...CONFIG.sites[0], policy: "other" }] },
    ['sites.news.example.policy was "standard", is now "other"'],
  ],
  [
    "the globs of a site",
    { sites: [{ ...CONFIG.sites[0], include: [] }] },
    ['sites.news.example.include was ["/2026/**"], is now []'],
  ],
  [
    "what a report costs",
    { reporting: { billed: ["fetch", "use"] } },
    ['sites.news.example.reporting.billed was ["use"], is now ["fetch","use"]'],
  ],
])("%s is named with both values", (_, changes, expected) => {
  expect(differences(changes)).toEqual(expected);
});

test("a site of the plan that is not configured any more is named", () => {
  expect(differences({ sites: [CONFIG.sites[1]] })).toEqual([
    expect.stringMatching(/^sites\.news\.example is gone, was \{/),
  ]);
});
