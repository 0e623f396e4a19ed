/** Turns the file's rules into the policy's rules. */
import { parseMoney } from "../../money/parse-money.ts";
import type { Conditions, Policy, Rule } from "../../policy/rule.ts";
import { parseDuration } from "../../time/duration.ts";
import type { ConfigDocument } from "../schema/config-schema.ts";

type PolicyDocument = ConfigDocument["policies"][string];
type RuleDocument = PolicyDocument["rules"][number];
type ConditionsDocument = NonNullable<RuleDocument["allow"]>;

export function resolvePolicy(name: string, policy: PolicyDocument): Policy {
  // A run does not decide by the tests.
  const { retention, tests: _, ...rest } = policy;
  return {
    ...rest,
    name,
    retentionMs: retention === undefined ? null : parseDuration(retention),
    rules: policy.rules.map(resolveRule),
  };
}

function resolveRule({ allow, deny }: RuleDocument): Rule {
  return allow === undefined
    ? { effect: "deny", conditions: resolveConditions(deny ?? {}), value: null }
    : { effect: "allow", conditions: resolveConditions(allow), value: allow.value ?? null };
}

function resolveConditions(conditions: ConditionsDocument): Conditions {
  const { maxPrice, minPrice, modifiedWithin } = conditions;
  return {
    license: conditions.license ?? null,
    cuid: conditions.cuid ?? null,
    permissions: conditions.permissions ?? null,
    lacks: conditions.lacks ?? null,
    maxPrice: maxPrice === undefined ? null : parseMoney(maxPrice),
    minPrice: minPrice === undefined ? null : parseMoney(minPrice),
    currency: conditions.currency ?? null,
    urls: conditions.urls ?? null,
    modifiedWithinMs: modifiedWithin === undefined ? null : parseDuration(modifiedWithin),
  };
}
