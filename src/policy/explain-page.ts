/**
 * The decision with its reasons, for `licet explain`. It calls `decidePage` itself with an observer, so the explanation always
 * matches the decision.
 */
import { formatMoney } from "../money/format-money.ts";
import type { License } from "../rates/license.ts";
import { findOfferFlaw } from "../rates/offers.ts";
import type { Rate, RateListing } from "../rates/rate.ts";
import { formatAge, formatDuration } from "../time/duration.ts";
import { type DecideContext, decideIndexing, decidePage, type RuleObserver } from "./decide-page.ts";
import type { CompiledPolicy, PolicyPage } from "./match-rule.ts";
import type { Conditions } from "./rule.ts";
import type { RuleFinding, Verdict } from "./verdict.ts";

export interface Explanation {
  readonly verdict: Verdict;
  /** Rate by rate, each rule up to the one that matched. */
  readonly findings: readonly RuleFinding[];
  /** Rates that cannot be bought. No rule was applied to them. */
  readonly flawedRates: readonly { readonly rateIndex: number; readonly reason: string }[];
}

export function explainPage(
  page: PolicyPage,
  listing: RateListing,
  compiled: CompiledPolicy,
  context: DecideContext,
): Explanation {
  const findings: RuleFinding[] = [];
  const observe = recordFindings(findings, compiled, page, listing.rates, context.now);
  const verdict = decidePage(page, listing, compiled, context, observe);
  const flawedRates = listing.rates.flatMap((rate, rateIndex) => {
    const reason = findOfferFlaw(rate, context.now);
    return reason === null ? [] : [{ rateIndex, reason }];
  });
  return { verdict, findings, flawedRates };
}

/** @param now epoch ms */
export function explainIndexing(page: PolicyPage, compiled: CompiledPolicy, now: number): Explanation {
  const findings: RuleFinding[] = [];
  const verdict = decideIndexing(page, compiled, now, recordFindings(findings, compiled, page, [], now));
  return { verdict, findings, flawedRates: [] };
}

function recordFindings(
  findings: RuleFinding[],
  compiled: CompiledPolicy,
  page: PolicyPage,
  rates: readonly Rate[],
  now: number,
): RuleObserver {
  return ({ ruleIndex, rateIndex, mismatch }) => {
    const conditions = compiled.rules[ruleIndex]?.conditions;
    const rate = rateIndex === null ? null : (rates[rateIndex] ?? null);
    const failed =
      mismatch === null || conditions === undefined ? null : describeFailure(mismatch, conditions, page, rate, now);
    findings.push({ ruleIndex, rateIndex, matched: mismatch === null, failed });
  };
}

function describeFailure(
  mismatch: keyof Conditions,
  conditions: Conditions,
  page: PolicyPage,
  rate: Rate | null,
  now: number,
): string {
  const license = rate?.license;
  const price = rate === null ? "none" : formatMoney(rate.price);
  const permissions = describePermissions(license);
  switch (mismatch) {
    case "license":
      return `license: requires ${conditions.license}, is ${license?.licenseType}`;
    case "cuid":
      return `cuid: requires one of ${conditions.cuid?.join(", ")}, is ${license?.cuid ?? "missing"}`;
    case "permissions":
      return `permissions: requires ${conditions.permissions?.join(", ")}, ${permissions}`;
    case "lacks":
      return `lacks: requires none of ${conditions.lacks?.join(", ")}, ${permissions}`;
    case "currency":
      return `currency: requires ${conditions.currency}, is ${rate?.price.currency}`;
    case "maxPrice":
      return `maxPrice: requires at most ${conditions.maxPrice && formatMoney(conditions.maxPrice)}, is ${price}`;
    case "minPrice":
      return `minPrice: requires at least ${conditions.minPrice && formatMoney(conditions.minPrice)}, is ${price}`;
    case "urls":
      return `urls: requires ${conditions.urls?.join(" or ")}, is ${page.path}`;
    case "modifiedWithinMs":
      return page.lastModAt === null
        ? "modifiedWithin: the page's last modification is not known"
        : `modifiedWithin: requires at most ${formatDuration(conditions.modifiedWithinMs ?? 0)} ago, is ${formatAge(now - page.lastModAt)} ago`;
    default:
      return mismatch satisfies never;
  }
}

function describePermissions(license: License | undefined): string {
  if (license?.permissions === null) {
    return "and the gateway does not list its permissions";
  }
  return `has ${license?.permissions.join(", ") || "none"}`;
}
