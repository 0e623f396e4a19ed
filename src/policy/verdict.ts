import { type ListedRate, toListedRate } from "../rates/listed-rate.ts";
import type { Rate } from "../rates/rate.ts";

/**
 * Why a page is not bought. The policy decides the reasons of the first group. The ledger decides those of the second, in the
 * transaction that reserves the money.
 */
export const DENIAL_REASONS = [
  // policy
  "no_rule_matched",
  "denied_by_rule",
  "not_licensable",
  "no_usable_rate",
  "no_budget_in_currency",
  "not_quoted",
  "quote_refused",
  // ledger
  "budget_exhausted",
  "max_pages",
  "max_spend",
  "in_doubt",
  "already_open",
  "already_held",
  "site_stopped",
  "kept_off",
  // list or plan
  "max_price",
  "not_planned",
] as const;
/** Why a page is not bought. */
export type DenialReason = (typeof DENIAL_REASONS)[number];

/** The result of one rule for one rate, or for the page when `rateIndex` is null. Used by `explain`. */
export interface RuleFinding {
  /** Position in the policy's rule list, from 0. */
  readonly ruleIndex: number;
  /** Position in the page's rates; null for a rule that was tried on the page alone (indexing). */
  readonly rateIndex: number | null;
  readonly matched: boolean;
  /** The first condition that failed, as text. Null when the rule matched. */
  readonly failed: string | null;
}

/**
 * The policy's decision on one page. `rate` is null for an indexing verdict. `ruleIndex` of a denial is null when no rule
 * matched.
 */
export type Verdict =
  | { readonly kind: "allowed"; readonly ruleIndex: number; readonly rate: Rate | null }
  | { readonly kind: "denied"; readonly reason: DenialReason; readonly ruleIndex: number | null };

/** The policy's decision on one page, as an answer has it. */
export type ListedVerdict =
  | { readonly kind: "allowed"; readonly ruleIndex: number; readonly rate: ListedRate | null }
  | Extract<Verdict, { kind: "denied" }>;

export function toListedVerdict(verdict: Verdict): ListedVerdict {
  return verdict.kind === "allowed"
    ? { ...verdict, rate: verdict.rate === null ? null : toListedRate(verdict.rate) }
    : verdict;
}
