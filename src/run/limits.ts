/** The limits of one run beside those of the configuration's budgets, and which hold when it goes on. */
import type { Money } from "../money/money.ts";

/** The limits of a run itself, beside the budgets. */
export interface OwnLimits {
  /** Approvals of the whole run. Null: no limit. */
  readonly maxPages: number | null;
  /** Money that the whole run reserved or spent. Null: no limit except the budgets. */
  readonly maxSpend: Money | null;
}

/** What the caller says holds; else the run's own limits and those of the configuration both do. */
export function tightenLimits(
  own: OwnLimits,
  { callerLimits, limits }: { readonly callerLimits: OwnLimits; readonly limits: OwnLimits },
): OwnLimits {
  return {
    maxPages: callerLimits.maxPages ?? lesser(own.maxPages, limits.maxPages),
    maxSpend: callerLimits.maxSpend ?? lesserSpend(own.maxSpend, limits.maxSpend),
  };
}

/** Whether a run under `theirs` could buy what a run under `own` may not. Amounts of different currencies are never compared. */
export function areLooser(theirs: OwnLimits, own: OwnLimits): boolean {
  const isLooser = (their: number | null, mine: number | null) => mine !== null && (their === null || their > mine);
  const isOther = own.maxSpend !== null && theirs.maxSpend?.currency !== own.maxSpend.currency;
  return (
    isOther ||
    isLooser(theirs.maxPages, own.maxPages) ||
    isLooser(theirs.maxSpend?.micros ?? null, own.maxSpend?.micros ?? null)
  );
}

function lesser(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

/** Of different currencies, the configuration's is the one of now. */
function lesserSpend(own: Money | null, configured: Money | null): Money | null {
  if (own === null || configured === null || own.currency !== configured.currency) {
    return configured ?? own;
  }
  return own.micros <= configured.micros ? own : configured;
}
