import type { Budget } from "../budget/budget.ts";
import type { BalanceKeyInCurrency } from "../budget/limits.ts";
import { budgetBalanceKey } from "../budget/scope.ts";
import { periodKey } from "../time/period.ts";

const DAY_MS = 86_400_000;

export interface WatchedBudget {
  readonly budget: Budget;
  readonly key: BalanceKeyInCurrency;
}

/**
 * The balances that alerts look at: of each budget the period of `now` and the one before, so that what happens in the last seconds of a
 * period is seen by a process that starts in the next one; of a budget of runs, each of `runIds`.
 */
export function watchBudgets(budgets: readonly Budget[], now: number, runIds: readonly string[]): WatchedBudget[] {
  return budgets.flatMap((budget) => {
    const { scope, currency } = budget;
    if (scope.kind === "run") {
      return runIds.map((runId) => ({ budget, key: { scope: `run:${runId}`, period: "total", currency } }));
    }
    const host = scope.kind === "site" ? scope.host : "";
    return [now, findEarlier(budget, now)].flatMap((at) => {
      const key = at === null ? null : budgetBalanceKey(budget, { host, runId: null, at });
      return key === null ? [] : [{ budget, key: { ...key, currency } }];
    });
  });
}

/** An instant in the period before. Null: the period is the only one. */
function findEarlier({ period }: Budget, now: number): number | null {
  if (period === "total") {
    return null;
  }
  const current = periodKey(period, now);
  let at = now;
  while (periodKey(period, at) === current) {
    at -= DAY_MS;
  }
  return at;
}
