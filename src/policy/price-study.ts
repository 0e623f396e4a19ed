/**
 * What pages cost, and what another `maxPrice` of a policy would have bought of them. Each page is decided again by the policy's rules, with its own rates and
 * at the time when it was decided first; only `maxPrice` of the rules that allow is another one. Budgets and other limits are not asked.
 */
import { addMicros, type Micros, toMicros, ZERO_MICROS } from "../money/micros.ts";
import type { Currency, Money } from "../money/money.ts";
import type { RateListing } from "../rates/rate.ts";
import { decidePage } from "./decide-page.ts";
import { compilePolicy, type PolicyPage } from "./match-rule.ts";
import { type PriceTerms, priceOf } from "./price.ts";
import type { Policy } from "./rule.ts";
import type { DenialReason, Verdict } from "./verdict.ts";

const MOST_BUCKETS = 20;
/** So much of the prices the buckets spread over. What is above is in the last one. */
const SPREAD = 0.98;

/** A page that a run decided. */
export interface StudiedPage extends PolicyPage {
  /** When it was decided, epoch ms. */
  readonly at: number;
  readonly listing: RateListing;
  readonly isApproved: boolean;
}

export interface StudyTerms extends PriceTerms {
  readonly policy: Policy;
  /** Of the budgets that cover the site. */
  readonly currencies: ReadonlySet<Currency>;
  /** The prices in this currency are studied. */
  readonly currency: Currency;
  /** Null: none is asked about. */
  readonly maxPrice: Money | null;
}

/** Pages whose price is above `fromMicros` and at most `toMicros`. The first bucket has what costs nothing too. */
export interface PriceBucket {
  readonly fromMicros: Micros;
  /** Null: without an end. */
  readonly toMicros: Micros | null;
  readonly currency: Currency;
  readonly pages: number;
  /** Those of them that were approved. */
  readonly approved: number;
}

/** What the rules allow, before budgets and other limits. */
export interface WouldBuy {
  /** Null: as the policy is configured. */
  readonly maxPriceMicros: Micros | null;
  readonly currency: Currency;
  readonly pages: number;
  /** What these pages would set aside, with the fee, and with the report of the fetch where that is billed. */
  readonly costMicros: Micros;
}

/** The `maxPrice` of a rule that allows. */
export interface PriceLimit {
  /** From 0. */
  readonly ruleIndex: number;
  readonly maxPriceMicros: Micros;
  readonly currency: Currency;
}

/** What the pages of a site cost, and what its policy takes of them. */
export interface PriceStudy {
  readonly currency: Currency;
  /** How many pages were decided again. */
  readonly pages: number;
  /** The prices at which the policy would take a page if no rule had a `maxPrice`. */
  readonly buckets: readonly PriceBucket[];
  readonly limits: readonly PriceLimit[];
  /** Pages that no `maxPrice` would buy, by reason. `other_currency`: the policy would take an offer in another currency. */
  readonly never: readonly { readonly reason: DenialReason | "other_currency"; readonly pages: number }[];
  /** By the policy as it is configured. */
  readonly asConfigured: WouldBuy;
  /** With the `maxPrice` that was asked about. Null: none was. */
  readonly asked: WouldBuy | null;
}

export function studyPrices(pages: readonly StudiedPage[], terms: StudyTerms): PriceStudy {
  const { policy, currency, maxPrice } = terms;
  const limits = findLimits(policy, currency);
  const open = decideAll(pages, withMaxPrice(policy, currency, null), terms);
  const priced: { readonly micros: Micros; readonly isApproved: boolean }[] = [];
  const never = new Map<DenialReason | "other_currency", number>();
  for (const [index, verdict] of open.entries()) {
    if (verdict.kind === "allowed" && verdict.rate?.price.currency === currency) {
      priced.push({ micros: verdict.rate.price.micros, isApproved: pages[index]?.isApproved === true });
    } else {
      const reason = verdict.kind === "denied" ? verdict.reason : "other_currency";
      never.set(reason, (never.get(reason) ?? 0) + 1);
    }
  }
  return {
    currency,
    pages: pages.length,
    buckets: fillBuckets(priced, { currency, limits: limits.map(({ maxPriceMicros }) => maxPriceMicros) }),
    limits,
    never: [...never].map(([reason, count]) => ({ reason, pages: count })),
    asConfigured: addUp(decideAll(pages, policy, terms), terms, null),
    asked:
      maxPrice === null
        ? null
        : addUp(decideAll(pages, withMaxPrice(policy, currency, maxPrice), terms), terms, maxPrice.micros),
  };
}

function findLimits({ rules }: Policy, currency: Currency): PriceLimit[] {
  return rules.flatMap(({ effect, conditions: { maxPrice } }, ruleIndex) =>
    effect === "allow" && maxPrice?.currency === currency
      ? [{ ruleIndex, maxPriceMicros: maxPrice.micros, currency }]
      : [],
  );
}

/** Of the rules that allow and have one in this currency. Null: without one. */
function withMaxPrice(policy: Policy, currency: Currency, maxPrice: Money | null): Policy {
  const rules = policy.rules.map((rule) => {
    const { effect, conditions } = rule;
    const isOther = effect === "allow" && conditions.maxPrice?.currency === currency;
    // Without a price the currency still counts: a rule of another one does not begin to match.
    return isOther
      ? { ...rule, conditions: { ...conditions, maxPrice, currency: conditions.currency ?? currency } }
      : rule;
  });
  return { ...policy, rules };
}

function decideAll(pages: readonly StudiedPage[], policy: Policy, { currencies }: StudyTerms): readonly Verdict[] {
  const compiled = compilePolicy(policy);
  return pages.map((page) => decidePage(page, page.listing, compiled, { now: page.at, currencies }));
}

function addUp(verdicts: readonly Verdict[], terms: StudyTerms, maxPriceMicros: Micros | null): WouldBuy {
  let pages = 0;
  let costMicros = ZERO_MICROS;
  for (const verdict of verdicts) {
    if (verdict.kind === "allowed" && verdict.rate?.price.currency === terms.currency) {
      pages += 1;
      costMicros = addMicros(costMicros, priceOf(verdict.rate, terms).cost.micros);
    }
  }
  return { maxPriceMicros, currency: terms.currency, pages, costMicros };
}

function fillBuckets(
  priced: readonly { readonly micros: Micros; readonly isApproved: boolean }[],
  { currency, limits }: { readonly currency: Currency; readonly limits: readonly Micros[] },
): readonly PriceBucket[] {
  if (priced.length === 0) {
    return [];
  }
  const sorted = priced.map(({ micros }) => micros).sort((a, b) => a - b);
  const usual = sorted[Math.ceil(sorted.length * SPREAD) - 1] ?? 0;
  const highest = sorted.at(-1) ?? 0;
  const step = chooseStep(Math.max(usual, ...limits, 1), Math.max(0, ...limits));
  const count = Math.min(MOST_BUCKETS + 1, Math.max(1, Math.ceil(highest / step)));
  const buckets = Array.from({ length: count }, (_, index) => ({ pages: 0, approved: 0, index }));
  for (const { micros, isApproved } of priced) {
    const bucket = buckets[Math.min(count - 1, Math.max(0, Math.ceil(micros / step) - 1))];
    if (bucket !== undefined) {
      bucket.pages += 1;
      bucket.approved += isApproved ? 1 : 0;
    }
  }
  return buckets.map(({ index, pages, approved }) => ({
    fromMicros: toMicros(index * step),
    toMicros: index === count - 1 && highest > count * step ? null : toMicros((index + 1) * step),
    currency,
    pages,
    approved,
  }));
}

/** The highest limit is the end of a bucket, so that no bucket has prices on both sides of it. */
function chooseStep(range: number, limit: number): number {
  const least = Math.ceil(range / MOST_BUCKETS);
  if (limit === 0) {
    return roundUp(least);
  }
  for (let parts = Math.floor(limit / least); parts > 1; parts--) {
    if (limit % parts === 0) {
      return limit / parts;
    }
  }
  return limit;
}

/** 1, 2 or 5 with zeros behind it. */
function roundUp(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least) ?? least;
}
