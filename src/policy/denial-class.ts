/**
 * The class of each denial reason: what a reader has to change, if anything, so that the page is bought. The counts of a run and of a plan
 * are split by it, and the parts add up to the whole.
 */
import type { DenialReason } from "./verdict.ts";

export const DENIAL_CLASSES = ["policy", "offer", "limit", "stored"] as const;
/**
 * What kept pages from being bought: `policy` a rule of the policy; `offer` the gateway sells no rate of the page; `limit` a budget, a limit
 * of the run or a stopped site; `stored` an earlier purchase of the page, which is stored, open, in doubt, or kept off.
 */
export type DenialClass = (typeof DENIAL_CLASSES)[number];

/** Counts by class. */
export type DenialClassCounts = Readonly<Record<DenialClass, number>>;

/** Total: a new reason does not compile without its class. */
export const CLASS_OF_DENIAL: Readonly<Record<DenialReason, DenialClass>> = {
  no_rule_matched: "policy",
  denied_by_rule: "policy",
  not_licensable: "offer",
  no_usable_rate: "offer",
  not_quoted: "offer",
  quote_refused: "offer",
  no_budget_in_currency: "limit",
  budget_exhausted: "limit",
  max_pages: "limit",
  max_spend: "limit",
  site_stopped: "limit",
  max_price: "limit",
  not_planned: "limit",
  in_doubt: "stored",
  already_open: "stored",
  already_held: "stored",
  kept_off: "stored",
};

/** Of a limit that ends buying: the page was left, and the next run decides it anew. */
const LEAVING: readonly string[] = [
  "budget_exhausted",
  "max_pages",
  "max_spend",
  "site_stopped",
] satisfies readonly DenialReason[];

/** How many of the denied pages were only left by a limit, and not decided for good. */
export function countLeft(denials: Readonly<Record<string, number>>): number {
  return LEAVING.reduce((sum, reason) => sum + (denials[reason] ?? 0), 0);
}

export const NO_DENIALS: DenialClassCounts = { policy: 0, offer: 0, limit: 0, stored: 0 };

export function addByClass(a: DenialClassCounts, b: DenialClassCounts): DenialClassCounts {
  return {
    policy: a.policy + b.policy,
    offer: a.offer + b.offer,
    limit: a.limit + b.limit,
    stored: a.stored + b.stored,
  };
}

/** Adds up the counts of the reasons of each class. */
export function countByClass(denials: Readonly<Partial<Record<DenialReason, number>>>): DenialClassCounts {
  const counts: Record<DenialClass, number> = { ...NO_DENIALS };
  for (const [reason, count] of Object.entries(denials)) {
    counts[CLASS_OF_DENIAL[reason as DenialReason]] += count;
  }
  return counts;
}
