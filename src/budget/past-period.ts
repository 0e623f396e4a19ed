import { LicetError } from "../errors.ts";
import { describeBehind, isBehind, toInstant } from "../time/clock-judgement.ts";
import { type Period, periodKey } from "../time/period.ts";
import type { BudgetPeriod } from "./budget.ts";

/** The name of a budget's period at two instants, such as `month 2026-10`. */
export interface PastPeriod {
  readonly now: string;
  readonly latest: string;
}

/**
 * Finds a budget whose period at `now` is another one than at `latestAt`, a later instant that was seen before. Money that is reserved
 * at `now` would then count in a period that is over.
 * @param periods of the budgets
 * @returns the longest such period; null when every budget is in the same one
 */
export function findPastPeriod(
  periods: readonly BudgetPeriod[],
  { now, latestAt }: { readonly now: number; readonly latestAt: number },
): PastPeriod | null {
  const period = LONGEST_FIRST.find(
    (candidate) => periods.includes(candidate) && periodKey(candidate, now) !== periodKey(candidate, latestAt),
  );
  return period === undefined || now >= latestAt
    ? null
    : { now: nameOf(period, now), latest: nameOf(period, latestAt) };
}

const LONGEST_FIRST = ["total", "month", "week", "day"] as const satisfies readonly Period[];

function nameOf(period: Period, at: number): string {
  return periodKey(period, at).replace(":", " ");
}

const STATEMENTS = ["month"] as const;

/**
 * Refuses to reserve money by a clock that is before the newest rows, in an earlier period of a budget or in an earlier month. Statements count
 * by months, whatever periods the budgets have: no booking is made before the one made last (docs/decisions/0047). So what is bought in a month
 * before that of the newest rows would be missing in the statement of its month.
 * @param periods of the budgets
 * @param latestAt the instant of the newest rows, epoch ms
 * @throws LicetError CLOCK_BEHIND
 */
export function requirePresentPeriods(
  periods: readonly BudgetPeriod[],
  { now, latestAt }: { readonly now: number; readonly latestAt: number },
): void {
  const why = isBehind(now, latestAt) ? findWhyNot(periods, { now, latestAt }) : null;
  if (why !== null) {
    throw new LicetError(
      "CLOCK_BEHIND",
      `${describeBehind(now, latestAt)}: nothing is bought, because it would count in ${why}`,
      {
        hint: "Set the clock right, then: licet run. If the clock is right, and was ahead before: licet run --trust-clock",
        details: { now: toInstant(now), latest: toInstant(latestAt) },
      },
    );
  }
}

/** Where money that is reserved now would count wrongly. Null: nowhere. */
function findWhyNot(
  periods: readonly BudgetPeriod[],
  at: { readonly now: number; readonly latestAt: number },
): string | null {
  const ofBudget = findPastPeriod(periods, at);
  if (ofBudget !== null) {
    return `the budget of ${ofBudget.now}, not of ${ofBudget.latest}`;
  }
  const ofStatement = findPastPeriod(STATEMENTS, at);
  return ofStatement === null ? null : `the statement of ${ofStatement.latest}, not of ${ofStatement.now}`;
}
