/** Finds problems of a policy whose values are each valid. */
import { parseMoney } from "../../money/parse-money.ts";
import { type ConfigPath, type ConfigProblem, invalid } from "../config-problem.ts";
import { type Loose, readText, toSection, toSections, toText, toTexts } from "./loose-value.ts";
import { findPermissionSlips } from "./permission-slips.ts";
import { checkPolicyTests } from "./policy-test-checks.ts";

/** Conditions that rules can use without a rate. */
const INDEXING_CONDITIONS = ["urls", "modifiedWithin", "value"];

export function checkPolicies(policies: Loose): ConfigProblem[] {
  return Object.entries(policies).flatMap(([name, raw]) => {
    const policy = toSection(raw);
    const rules = toSections(policy.rules).flatMap((rule, index) =>
      checkRule(["policies", name, "rules", index], rule, policy.intent === "indexing"),
    );
    return [...rules, ...checkPolicyTests(["policies", name], policy)];
  });
}

function checkRule(path: ConfigPath, rule: Loose, isIndexing: boolean): ConfigProblem[] {
  const effects = ["allow", "deny"].filter((effect) => rule[effect] !== undefined);
  if (effects.length !== 1) {
    return [invalid(path, "must have one of allow and deny")];
  }
  const effect = effects[0] ?? "allow";
  const conditions = toSection(rule[effect]);
  const at = [...path, effect];
  return [
    ...(isIndexing ? checkIndexing(at, conditions) : []),
    ...checkPrices(at, conditions),
    ...checkPermissions(at, conditions),
  ];
}

function checkIndexing(path: ConfigPath, conditions: Loose): ConfigProblem[] {
  return Object.keys(conditions)
    .filter((key) => !INDEXING_CONDITIONS.includes(key))
    .map((key) =>
      invalid(
        [...path, key],
        "cannot be used under intent: indexing, where there is no rate; only urls and modifiedWithin can",
      ),
    );
}

function checkPrices(path: ConfigPath, conditions: Loose): ConfigProblem[] {
  const max = readText(conditions.maxPrice, parseMoney);
  const min = readText(conditions.minPrice, parseMoney);
  const currencies = new Set([max?.currency, min?.currency, toText(conditions.currency) ?? undefined]);
  currencies.delete(undefined);
  if (currencies.size > 1) {
    return [invalid(path, "requires more than one currency and can never match")];
  }
  return max !== null && min !== null && min.micros > max.micros
    ? [invalid(path, "has a minPrice above its maxPrice and can never match")]
    : [];
}

function checkPermissions(path: ConfigPath, conditions: Loose): ConfigProblem[] {
  const slips = (["permissions", "lacks"] as const).flatMap((key) =>
    findPermissionSlips([...path, key], conditions[key]),
  );
  const both = toTexts(conditions.permissions).filter((name) => toTexts(conditions.lacks).includes(name));
  return both.length === 0
    ? slips
    : [...slips, invalid(path, "requires a permission and its absence, and can never match")];
}
