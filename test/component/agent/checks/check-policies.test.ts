import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { stringify } from "yaml";
import { checkPolicies } from "../../../../src/agent/checks/check-policies.ts";
import { createAgent } from "../../../../src/agent/create-agent.ts";
import { formatCheck } from "../../../../src/cli/commands/check.ts";
import type { Config } from "../../../../src/config/config.ts";
import { loadConfig } from "../../../../src/config/load-config.ts";

const RATE = { license: "ON_DEMAND_LICENSE", price: "0.01 USD", permissions: ["PARTIAL_USE"] };
const EUROS = { ...RATE, price: "0.01 EUR" };
const CITED = { ...RATE, permissions: ["CITATION_REQUIRED"] };
const RULES = [{ deny: { permissions: ["CITATION_REQUIRED"] } }, { allow: {} }];
const page = (host: string, expected: string, rates: readonly object[] = [RATE]) => ({
  url: `https://${host}/a`,
  rates,
  expect: expected,
});

async function load(sections: object): Promise<Config> {
  const cwd = await mkdtemp(join(tmpdir(), "licet-policies-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const whole = {
    gateway: { baseUrl: "http://127.0.0.1:9", apiKey: "key-1234", agentId: "acme-agent" },
    budgets: [{ scope: "run", limit: "1 USD" }],
    sites: [{ host: "news.example", policy: "standard" }],
    ...sections,
  };
  await writeFile(join(cwd, "licet.config.yaml"), stringify(whole));
  return loadConfig({ cwd, env: {} });
}

const check = async (sections: object) => checkPolicies(await load(sections), Date.now());

it("says of each policy how many of its tests fail, and nothing of a policy without tests", async () => {
  const { checks } = await check({
    policies: {
      standard: {
        rules: RULES,
        tests: [page("news.example", "allow 2"), page("news.example", "deny no_rule_matched")],
      },
      strict: { rules: RULES, tests: [page("news.example", "deny denied_by_rule 1", [CITED])] },
      untested: { rules: RULES },
    },
  });
  expect(checks).toMatchObject([
    { name: "policy: standard", ok: false, detail: "1 of its 2 tests fails" },
    { name: "policy: strict", ok: true, detail: "its test passes" },
  ]);
});

it("tests a page with the budgets of its site, or else of all sites with the policy, or else with all", async () => {
  const { tests } = await check({
    budgets: [
      { scope: "site:a.example", limit: "1 USD" },
      { scope: "site:b.example", limit: "1 EUR" },
    ],
    sites: [
      { host: "a.example", policy: "shared" },
      { host: "b.example", policy: "shared" },
    ],
    policies: {
      shared: {
        rules: RULES,
        tests: [
          page("a.example", "deny no_budget_in_currency 2", [EUROS]),
          page("b.example", "allow 2", [EUROS]),
          page("c.example", "allow 2", [EUROS]),
        ],
      },
      unused: { rules: RULES, tests: [page("a.example", "allow 2", [EUROS])] },
    },
  });
  expect(tests.map(({ ok, got }) => [ok, got])).toEqual([
    [true, "deny no_budget_in_currency 2"],
    [true, "allow 2 at 0.01 EUR"],
    [true, "allow 2 at 0.01 EUR"],
    [true, "allow 2 at 0.01 EUR"],
  ]);
});

it("shows of a failed test its line, what was expected, what came, and what each rule says of each rate", async () => {
  const tests = [page("news.example", "allow 2", [CITED, { ...RATE, error: "withdrawn" }])];
  const config = await load({ policies: { standard: { rules: RULES, tests } } });
  const policies = await checkPolicies(config, Date.now());
  expect(policies.tests).toMatchObject([
    {
      policy: "standard",
      test: 1,
      place: "licet.config.yaml:19",
      ok: false,
      expected: "allow 2",
      got: "deny denied_by_rule 1",
      why: { verdict: { reason: "denied_by_rule", ruleIndex: 0 } },
    },
  ]);
  const shown = formatCheck({ ok: false, warnings: 0, checks: policies.checks, policyTests: policies.tests });
  expect(shown).toContain(`
licet.config.yaml:19  standard, test 1: https://news.example/a
  - expected  allow 2                allow everything
  + got       deny denied_by_rule 1  deny permissions CITATION_REQUIRED
  0.01 USD  ON_DEMAND_LICENSE [CITATION_REQUIRED]
    rule 1: matches
  0.01 USD  ON_DEMAND_LICENSE [PARTIAL_USE]
    cannot be bought: the gateway marked it with an error, withdrawn
`);
});

it("shows what each rule says of a page that is only indexed", async () => {
  const tests = [{ url: "https://news.example/b", expect: "allow 1" }];
  const rules = [{ allow: { urls: ["/a/**"] } }];
  const { checks, tests: run } = await check({ policies: { standard: { intent: "indexing", rules, tests } } });
  expect(formatCheck({ ok: false, warnings: 0, checks, policyTests: run })).toContain(
    "  + got       deny no_rule_matched\n  rule 1: urls: requires /a/**, is /b\n",
  );
});

it("a check that stays offline runs the tests, and touches neither ledger nor gateway", async () => {
  const config = await load({ policies: { standard: { rules: RULES, tests: [page("news.example", "allow 2")] } } });
  const agent = await createAgent(config);
  onTestFinished(() => agent.close());
  const { ok, checks, policyTests } = await agent.check({ offline: true });
  expect(ok).toBe(true);
  expect(checks.map(({ name }) => name)).toEqual(["configuration", "policy: standard", "budgets"]);
  expect(policyTests).toMatchObject([{ ok: true, got: "allow 2 at 0.01 USD", why: null }]);
  expect(existsSync(config.ledger.path)).toBe(false);
  expect(await readdir(join(config.file ?? "", ".."))).toEqual(["licet.config.yaml"]);
});
