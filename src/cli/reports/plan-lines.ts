/** What `licet run` says of the pages of a saved plan. */
import type { MissedPage, PlanOutcome } from "../../agent/plans/plan-outcome.ts";
import type { Money } from "../../money/money.ts";
import { formatAmount, plural } from "../output/format-values.ts";

/** One line: how many of its pages were bought, and how many were not needed any more. */
export function describePlanOutcome({ pages, bought, held }: PlanOutcome): string {
  const before = held === 0 ? "" : `, ${held} stored already`;
  return `${bought} of ${plural(pages, "page")} bought${before}`;
}

/** The first pages that no longer fit, in the order of the plan. */
export function listMissed({ examples }: PlanOutcome): string[] {
  return examples.map(describeMissed);
}

function describeMissed({ url, reason, planned, now }: MissedPage): string {
  return `${url}: ${reason}, planned for ${show(planned)}${now === null ? "" : `, now ${show(now)}`}`;
}

function show(money: Money | null): string {
  return formatAmount(money?.micros ?? null, money?.currency ?? null);
}
