/**
 * Decides one page by a policy.
 *
 * The first rule that matches an offer decides that offer alone: `allow` accepts it, `deny` removes it. An offer without a
 * matching rule is removed too. `prefer` picks one of the accepted offers whose currency has a budget. A deny rule above an allow
 * rule therefore removes single licenses from a page. It removes the whole page only when it matches all of them.
 */
import type { ListedTerms } from "../list/list-entry.ts";
import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import { isOffer, type Offer } from "../rates/offers.ts";
import type { Rate, RateListing } from "../rates/rate.ts";
import { type CompiledPolicy, findMismatch, type PolicyPage } from "./match-rule.ts";
import { type PassingOffer, preferOffer } from "./prefer-offer.ts";
import type { Conditions } from "./rule.ts";
import type { DenialReason, Verdict } from "./verdict.ts";

export interface DecideContext {
  /** epoch ms */
  readonly now: number;
  /** Currencies of the budgets that cover the page's site, in the order of the budgets (`budgetedCurrencies`). */
  readonly currencies: ReadonlySet<Currency>;
  /** What a list or a plan asks of this page. @default nothing: the page comes from a catalog or a notification */
  readonly listed?: ListedLimits | null;
}

/** The terms of a list, and what an offer would set aside under them. */
export interface ListedLimits {
  readonly terms: ListedTerms;
  readonly costOf: (offer: Offer) => Micros;
}

/** Called for each rule that was tried, in order. Used by `explainPage`. */
export type RuleObserver = (trial: {
  readonly ruleIndex: number;
  readonly rateIndex: number | null;
  readonly mismatch: keyof Conditions | null;
}) => void;

/** The verdict on a page that is bought at a rate (`intent: content`). */
export function decidePage(
  page: PolicyPage,
  listing: RateListing,
  compiled: CompiledPolicy,
  context: DecideContext,
  observe?: RuleObserver,
): Verdict {
  const passing: PassingOffer[] = [];
  let offers = 0;
  let firstDenying: number | null = null;
  listing.rates.forEach((rate, rateIndex) => {
    if (!isOffer(rate, context.now)) {
      return;
    }
    offers += 1;
    const ruleIndex = findFirstMatch(compiled, page, rate, rateIndex, context.now, observe);
    if (ruleIndex === null) {
      return;
    }
    if (compiled.rules[ruleIndex]?.effect === "allow") {
      passing.push({ kind: "allowed", ruleIndex, rate });
    } else {
      firstDenying = firstDenying === null ? ruleIndex : Math.min(firstDenying, ruleIndex);
    }
  });
  if (offers === 0) {
    return deny(listing.rates.length + listing.unreadable.length === 0 ? "not_licensable" : "no_usable_rate", null);
  }
  if (passing.length === 0) {
    return deny(firstDenying === null ? "no_rule_matched" : "denied_by_rule", firstDenying);
  }
  const affordable = passing.filter(({ rate }) => context.currencies.has(rate.price.currency));
  const chosen = preferOffer(affordable, compiled.policy.prefer, context.currencies);
  if (chosen === null) {
    return deny("no_budget_in_currency", firstRule(passing));
  }
  return context.listed == null ? chosen : decideListed(affordable, compiled, context, context.listed);
}

/** Of the offers that the policy and the budgets let through, those that a list or a plan lets through too. */
function decideListed(
  affordable: readonly PassingOffer[],
  compiled: CompiledPolicy,
  { currencies }: DecideContext,
  { terms: { license, maxPrice }, costOf }: ListedLimits,
): Verdict {
  const planned = affordable.filter(
    ({ rate }) =>
      license === null || (license.licenseType === rate.license.licenseType && license.cuid === rate.license.cuid),
  );
  if (planned.length === 0) {
    return deny("not_planned", firstRule(affordable));
  }
  const capped = planned.filter(
    ({ rate }) => maxPrice === null || (maxPrice.currency === rate.price.currency && costOf(rate) <= maxPrice.micros),
  );
  const chosen = preferOffer(capped, compiled.policy.prefer, currencies);
  return chosen ?? deny("max_price", firstRule(planned));
}

function firstRule(offers: readonly PassingOffer[]): number {
  return Math.min(...offers.map(({ ruleIndex }) => ruleIndex));
}

/** The verdict on a page that is only indexed. It has no rate, so the first rule that matches the page decides. */
export function decideIndexing(
  page: PolicyPage,
  compiled: CompiledPolicy,
  now: number,
  observe?: RuleObserver,
): Verdict {
  const ruleIndex = findFirstMatch(compiled, page, null, null, now, observe);
  if (ruleIndex === null) {
    return deny("no_rule_matched", null);
  }
  return compiled.rules[ruleIndex]?.effect === "allow"
    ? { kind: "allowed", ruleIndex, rate: null }
    : deny("denied_by_rule", ruleIndex);
}

function findFirstMatch(
  compiled: CompiledPolicy,
  page: PolicyPage,
  rate: Rate | null,
  rateIndex: number | null,
  now: number,
  observe: RuleObserver | undefined,
): number | null {
  for (const [ruleIndex, rule] of compiled.rules.entries()) {
    const mismatch = findMismatch(rule, page, rate, now);
    observe?.({ ruleIndex, rateIndex, mismatch });
    if (mismatch === null) {
      return ruleIndex;
    }
  }
  return null;
}

function deny(reason: DenialReason, ruleIndex: number | null): Verdict {
  return { kind: "denied", reason, ruleIndex };
}
