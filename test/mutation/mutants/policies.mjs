/**
 * What a policy's tests compare, taken out in one place at a time: a test that passes whatever the rules say is worse than none.
 * @type {readonly import("../mutants.mjs").Mutant[]}
 */
export const POLICY_MUTANTS = [
  {
    name: "a test of a policy does not compare the rule",
    promise: 2,
    file: "src/policy/expectation.ts",
    find: "expected.ruleIndex !== null && expected.ruleIndex !== verdict.ruleIndex",
    replace: "expected.ruleIndex === -1",
    suite: "test/unit/policy/expectation.test.ts",
  },
  {
    name: "a test of a policy does not compare the currency of the price",
    promise: 2,
    file: "src/policy/expectation.ts",
    find: "price.micros === expected.micros && price.currency === expected.currency",
    replace: "price.micros === expected.micros",
    suite: "test/unit/policy/expectation.test.ts",
  },
  {
    name: "a test of a policy does not compare the reason",
    promise: 2,
    file: "src/policy/expectation.ts",
    find: "(expected.reason === null || expected.reason === verdict.reason)",
    replace: "expected.reason !== undefined",
    suite: "test/unit/policy/policy-test.test.ts",
  },
  {
    name: "the first rule of a test counts as zero",
    promise: 2,
    file: "src/policy/expectation.ts",
    find: "Number(number) - 1",
    replace: "Number(number)",
    suite: "test/unit/policy/policy-test.test.ts",
  },
  {
    name: "a test of a policy takes the budgets of all sites for those of its own",
    promise: 2,
    file: "src/agent/checks/check-policies.ts",
    find: "own.length > 0 ? own : having",
    replace: "having",
    suite: "test/component/agent/checks/check-policies.test.ts",
  },
  {
    name: "permissions that a test leaves out count as none",
    promise: 2,
    file: "src/config/schema/policy-test-schema.ts",
    find: "permissions = null",
    replace: "permissions = []",
    suite: "test/unit/config/policy-tests.test.ts",
  },
  {
    name: "check is content with tests of policies that fail",
    promise: 2,
    file: "src/agent/checks/check-policies.ts",
    find: "if (failed === 0) {",
    replace: "if (failed >= 0) {",
    suite: "test/component/agent/checks/check-policies.test.ts",
  },
  {
    name: "a test may name a rule with the other effect",
    promise: 2,
    file: "src/config/checks/policy-test-checks.ts",
    find: "return rule[effect] === undefined\n",
    replace: "return rule === undefined\n",
    suite: "test/unit/config/policy-tests.test.ts",
  },
  {
    name: "a deny misses how a server resolves dots that keeps runs of slashes",
    promise: 2,
    file: "src/catalog/path-readings.ts",
    find: 'resolveDots(loose, "runs count")',
    replace: "resolveDots(loose)",
    suite: "test/unit/catalog/path-globs.test.ts",
  },
];
