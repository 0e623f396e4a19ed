/**
 * Guards the budgets against a clock that was set back. A reservation counts in the budget periods of its instant. With a clock of last
 * month, licet would buy under last month's budget, and would buy this month's once more when the clock is right again. So nothing is
 * reserved while the clock is in an earlier period than the latest instant that was seen: in the newest rows of the ledger, or before in
 * this run. Within the same periods a wrong clock changes no budget.
 */
import type { Budget } from "../../budget/budget.ts";
import { requirePresentPeriods } from "../../budget/past-period.ts";

export interface BuyingClock {
  /** @throws LicetError CLOCK_BEHIND, which ends the run */
  check(now: number): void;
  /** False: the clock may be wrong, so no page is bought because of its age, or because rights ended by this clock. */
  isSure(now: number): boolean;
}

/**
 * @param latestAt the instant of the newest rows of the ledger; null when there is none, or when a person trusts the clock
 * @param isSure compares the clock with the gateway's `Date`. @default every clock is believed
 */
export function createBuyingClock(
  budgets: readonly Pick<Budget, "period">[],
  latestAt: number | null,
  isSure: BuyingClock["isSure"] = () => true,
): BuyingClock {
  const periods = budgets.map(({ period }) => period);
  let latest = latestAt ?? Number.NEGATIVE_INFINITY;
  return {
    isSure,
    check: (now) => {
      // Only for its warning: money is counted in the period that the clock says.
      isSure(now);
      if (now >= latest) {
        latest = now;
        return;
      }
      requirePresentPeriods(periods, { now, latestAt: latest });
    },
  };
}
