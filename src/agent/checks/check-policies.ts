/** The tests of the policies, in `agent.check`. They need nothing but the configuration. */
import { budgetedCurrencies } from "../../budget/scope.ts";
import { canonicalPageUrl } from "../../catalog/page-url.ts";
import type { Config } from "../../config/config.ts";
import { locateSettings } from "../../config/files/locate-setting.ts";
import { assertBug } from "../../errors.ts";
import type { Currency } from "../../money/money.ts";
import { formatExpectation, formatVerdict } from "../../policy/expectation.ts";
import { type CompiledPolicy, compilePolicy } from "../../policy/match-rule.ts";
import { type PolicyTest, runPolicyTest } from "../../policy/policy-test.ts";
import { toListedVerdict } from "../../policy/verdict.ts";
import { toListedRates } from "../../rates/listed-rate.ts";
import { type CheckFinding, failed as failedCheck, type PolicyTestReport, passed } from "./check-report.ts";

type Check = CheckFinding;

export interface CheckedPolicies {
  /** One for each policy that has tests. */
  readonly checks: readonly Check[];
  readonly tests: readonly PolicyTestReport[];
}

/** @param now epoch ms */
export async function checkPolicies(config: Config, now: number): Promise<CheckedPolicies> {
  const { policies, policyTests } = config;
  const places = await locateSettings(
    config,
    policyTests.map(({ policy, index }) => ["policies", policy, "tests", index]),
  );
  const compiled = new Map([...policies].map(([name, policy]) => [name, compilePolicy(policy)]));
  const tests = policyTests.map((test, position) => {
    const policy = compiled.get(test.policy);
    assertBug(policy !== undefined, "a test stands in a policy");
    return { ...runTest(config, test, policy, now), place: places[position] ?? null };
  });
  const tested = [...new Set(tests.map(({ policy }) => policy))];
  return { tests, checks: tested.map((name) => toCheck(name, tests)) };
}

function runTest(
  config: Config,
  test: PolicyTest,
  compiled: CompiledPolicy,
  now: number,
): Omit<PolicyTestReport, "place"> {
  const outcome = runPolicyTest(test, compiled, { now, currencies: currenciesOf(config, test) });
  const { passed, verdict, findings, flawedRates } = outcome;
  return {
    policy: test.policy,
    test: test.index + 1,
    url: test.url,
    ok: passed,
    expected: formatExpectation(test.expected),
    got: formatVerdict(verdict),
    why: passed
      ? null
      : {
          rules: compiled.ruleTexts,
          listing: toListedRates(test.listing),
          findings,
          flawedRates,
          verdict: toListedVerdict(verdict),
        },
  };
}

/**
 * The currencies with a budget: those of the page's site when it has this policy, or else those of all sites that have it. A policy that no
 * site has yet is tested with all budgets.
 */
function currenciesOf({ sites, budgets }: Config, { policy, url }: PolicyTest): ReadonlySet<Currency> {
  const page = canonicalPageUrl(url);
  const host = page === null ? null : new URL(page).host;
  const having = sites.filter((site) => site.policy.name === policy);
  const own = having.filter((site) => site.host === host);
  const chosen = own.length > 0 ? own : having;
  return chosen.length === 0
    ? new Set(budgets.map(({ currency }) => currency))
    : new Set(chosen.flatMap((site) => [...budgetedCurrencies(budgets, site.host)]));
}

function toCheck(policy: string, tests: readonly PolicyTestReport[]): Check {
  const own = tests.filter((test) => test.policy === policy);
  const failed = own.filter(({ ok }) => !ok).length;
  const name = `policy: ${policy}`;
  if (failed === 0) {
    return passed(name, own.length === 1 ? "its test passes" : `its ${own.length} tests pass`);
  }
  const detail =
    own.length === 1 ? "its test fails" : `${failed} of its ${own.length} tests ${failed === 1 ? "fails" : "fail"}`;
  const hint = "change the rules, or what the test expects. A run uses the rules as they are, whatever the tests say";
  return failedCheck(name, detail, { hint });
}
