/**
 * Guards the budgets against a clock that was set back. A reservation counts in the budget periods of its instant. With a clock of last
 * month, licet would buy under last month's budget, and would buy this month's once more when the clock is right again. So nothing is
 * reserved while the clock is in an earlier period than the latest instant that was seen: in the newest rows of the ledger, or before in
 * this run. Within the same periods a wrong clock changes no budget.
 *
 * Statements count by months, whatever periods the budgets have: no booking is made before the one made last (docs/decisions/0047). So what is bought
 * in a month before that of the newest rows would be missing in the statement of its month.
 */
import type { Budget } from "../../budget/budget.ts";
import { findPastPeriod } from "../../budget/past-period.ts";
import { LicetError } from "../../errors.ts";
import { describeBehind, isBehind, toInstant } from "../../time/clock-judgement.ts";

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
      const why = isBehind(now, latest) ? findWhyNot(budgets, { now, latestAt: latest }) : null;
      if (why !== null) {
        throw new LicetError(
          "CLOCK_BEHIND",
          `${describeBehind(now, latest)}: nothing is bought, because it would count in ${why}`,
          {
            hint: "Set the clock right, then: licet run. If the clock is right, and was ahead before: licet run --trust-clock",
            details: { now: toInstant(now), latest: toInstant(latest) },
          },
        );
      }
    },
  };
}

const STATEMENTS = [{ period: "month" }] as const;

/** Where money that is reserved now would count wrongly. Null: nowhere. */
function findWhyNot(
  budgets: readonly Pick<Budget, "period">[],
  at: { readonly now: number; readonly latestAt: number },
): string | null {
  const ofBudget = findPastPeriod(budgets, at);
  if (ofBudget !== null) {
    return `the budget of ${ofBudget.now}, not of ${ofBudget.latest}`;
  }
  const ofStatement = findPastPeriod(STATEMENTS, at);
  return ofStatement === null ? null : `the statement of ${ofStatement.latest}, not of ${ofStatement.now}`;
}
