/**
 * A policy's decision about a page's rates, by the checkers' own reading of design § Policies: ordered rules, the first that
 * matches decides.
 */
import type { RateChange } from "../gateway/account.ts";
import type { ScenarioPolicy, ScenarioRule } from "../scenario.ts";

export type Rate = RateChange["rates"][number];

export interface Choice {
  readonly rate: Rate;
  /** The rule that allows it. */
  readonly ruleIndex: number;
}

/**
 * The rates that may be bought: allowed by their first matching rule, in a currency that has a budget, and none among them
 * preferred to them. Several where the policy's preference leaves it open; amounts of different currencies are never compared.
 */
export function findChoices(policy: ScenarioPolicy, rates: readonly Rate[], currencies: ReadonlySet<string>): Choice[] {
  const passing = rates.flatMap((rate) => {
    const ruleIndex = policy.rules.findIndex((rule) => matches(rule, rate));
    const isAllowed = policy.rules[ruleIndex]?.verdict === "allow" && currencies.has(rate.currency);
    return isAllowed ? [{ rate, ruleIndex }] : [];
  });
  return passing.filter(({ rate }) => !passing.some((other) => isPreferred(policy, other.rate, rate)));
}

/** Indexing has no rates: the first rule that asks nothing of a rate decides. @returns its position, or -1 */
export function findIndexingRule({ rules }: ScenarioPolicy): number {
  return rules.findIndex(
    ({ license, maxPrice, permission, urls }) =>
      license === null && maxPrice === null && permission === null && urls === undefined,
  );
}

/** A rule about addresses is about no page here: those that it denies are judged by their addresses alone. */
function matches({ verdict, license, maxPrice, permission, urls }: ScenarioRule, rate: Rate): boolean {
  return (
    urls === undefined &&
    (license === null || license === rate.licenseType) &&
    (permission === null ||
      rate.permissions.includes(permission) ||
      // What is not known is not allowed.
      (verdict === "deny" && rate.hidesPermissions === true)) &&
    (maxPrice === null || (maxPrice.currency === rate.currency && rate.micros <= maxPrice.micros))
  );
}

/** Whether one rate has to be bought rather than another: it is cheaper, or it permits more. */
function isPreferred({ prefer }: ScenarioPolicy, one: Rate, other: Rate): boolean {
  return prefer === "cheapest"
    ? one.currency === other.currency && one.micros < other.micros
    : permissivenessOf(one) > permissivenessOf(other);
}

/** Full use before partial use before neither; then no duty to cite before one. */
function permissivenessOf({ licenseType, permissions }: Rate): number {
  const isFull = permissions.includes("FULL_USE") || licenseType === "ON_DEMAND_FULL_USE_LICENSE";
  const isPartial = permissions.includes("PARTIAL_USE") || licenseType === "ON_DEMAND_LICENSE";
  return (isFull ? 4 : isPartial ? 2 : 0) + (permissions.includes("CITATION_REQUIRED") ? 0 : 1);
}
