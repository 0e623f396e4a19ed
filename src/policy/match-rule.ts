/**
 * Matches one rule with one page and one of its rates. A policy is compiled once, because its globs and lists are used thousands
 * of times a second.
 */
import { compilePathGlobs, type PathMatcher } from "../catalog/path-globs.ts";
import type { Rate } from "../rates/rate.ts";
import { describeRule } from "./describe-rule.ts";
import type { Conditions, Policy, Rule } from "./rule.ts";

/** What a rule can check about the page itself. */
export interface PolicyPage {
  /** The URL's path, from `/`, without query. */
  readonly path: string;
  /** epoch ms; null when unknown */
  readonly lastModAt: number | null;
}

export interface CompiledRule {
  readonly effect: Rule["effect"];
  readonly conditions: Conditions;
  /** Null when the rule has no `urls` condition. */
  readonly matchesPath: PathMatcher | null;
}

export interface CompiledPolicy {
  readonly policy: Policy;
  readonly rules: readonly CompiledRule[];
  /** The text of each rule, in the order of `rules`. */
  readonly ruleTexts: readonly string[];
}

export function compilePolicy(policy: Policy): CompiledPolicy {
  const rules = policy.rules.map(({ effect, conditions }) => ({
    effect,
    conditions,
    matchesPath:
      conditions.urls === null ? null : compilePathGlobs(conditions.urls, effect === "allow" ? "let in" : "keep out"),
  }));
  return { policy, rules, ruleTexts: policy.rules.map(describeRule) };
}

/**
 * The first condition that fails, or null when the rule matches. Cheap conditions are checked first, globs last. When the gateway
 * did not list a license's permissions, a condition on permissions fails for `allow` and holds for `deny`: missing information
 * must not get a page bought.
 * @param rate null under `intent: indexing`, where rules check only the page
 * @param now epoch ms
 */
export function findMismatch(
  rule: CompiledRule,
  page: PolicyPage,
  rate: Rate | null,
  now: number,
): keyof Conditions | null {
  const mismatch = rate === null ? null : findRateMismatch(rule, rate);
  if (mismatch !== null) {
    return mismatch;
  }
  const { modifiedWithinMs } = rule.conditions;
  if (modifiedWithinMs !== null && (page.lastModAt === null || now - page.lastModAt > modifiedWithinMs)) {
    return "modifiedWithinMs";
  }
  return rule.matchesPath === null || rule.matchesPath(page.path) ? null : "urls";
}

function findRateMismatch({ effect, conditions }: CompiledRule, { license, price }: Rate): keyof Conditions | null {
  const { cuid, permissions, lacks, maxPrice, minPrice, currency } = conditions;
  if (conditions.license !== null && conditions.license !== license.licenseType) {
    return "license";
  }
  if (cuid !== null && (license.cuid === null || !cuid.includes(license.cuid))) {
    return "cuid";
  }
  const has = (name: string, whenUnknown: boolean) => license.permissions?.includes(name) ?? whenUnknown;
  if (permissions !== null && !permissions.every((name) => has(name, effect === "deny"))) {
    return "permissions";
  }
  if (lacks?.some((name) => has(name, effect === "allow"))) {
    return "lacks";
  }
  if (currency !== null && currency !== price.currency) {
    return "currency";
  }
  if (maxPrice !== null && (maxPrice.currency !== price.currency || price.micros > maxPrice.micros)) {
    return "maxPrice";
  }
  if (minPrice !== null && (minPrice.currency !== price.currency || price.micros < minPrice.micros)) {
    return "minPrice";
  }
  return null;
}
