import { type Period, periodKey } from "../time/period.ts";
import type { Budget } from "./budget.ts";

/** The name of a budget's period at two instants, such as `month 2026-10`. */
export interface PastPeriod {
  readonly now: string;
  readonly latest: string;
}

/**
 * Finds a budget whose period at `now` is another one than at `latestAt`, a later instant that was seen before. Money that is reserved
 * at `now` would then count in a period that is over.
 * @returns the longest such period; null when every budget is in the same one
 */
export function findPastPeriod(
  budgets: readonly Pick<Budget, "period">[],
  { now, latestAt }: { readonly now: number; readonly latestAt: number },
): PastPeriod | null {
  const period = LONGEST_FIRST.find(
    (candidate) =>
      budgets.some((budget) => budget.period === candidate) &&
      periodKey(candidate, now) !== periodKey(candidate, latestAt),
  );
  return period === undefined || now >= latestAt
    ? null
    : { now: nameOf(period, now), latest: nameOf(period, latestAt) };
}

const LONGEST_FIRST = ["total", "month", "week", "day"] as const satisfies readonly Period[];

function nameOf(period: Period, at: number): string {
  return periodKey(period, at).replace(":", " ");
}
