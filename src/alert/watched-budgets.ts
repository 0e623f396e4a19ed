import type { Budget } from "../budget/budget.ts";
import type { BalanceKeyInCurrency } from "../budget/covering-budgets.ts";
import { budgetBalanceKey } from "../budget/scope.ts";

const DAY_MS = 86_400_000;

export interface WatchedBudget {
  readonly budget: Budget;
  readonly key: BalanceKeyInCurrency;
}

/**
 * The balances that alerts look at: of each budget the period of `now` and, for a day after its end, the one before, so that what happens in
 * the last seconds of a period is seen by a process that starts in the next one; of a budget of runs, each of `runIds`.
 */
export function watchBudgets(budgets: readonly Budget[], now: number, runIds: readonly string[]): WatchedBudget[] {
  return budgets.flatMap((budget) => {
    const { scope, currency } = budget;
    if (scope.kind === "run") {
      return runIds.map((runId) => ({ budget, key: { scope: `run:${runId}`, period: "total", currency } }));
    }
    const host = scope.kind === "site" ? scope.host : "";
    const keys = [now, now - DAY_MS].flatMap((at) => budgetBalanceKey(budget, { host, runId: null, at }) ?? []);
    return keys
      .filter(({ period }, index) => index === 0 || period !== keys[0]?.period)
      .map((key) => ({ budget, key: { ...key, currency } }));
  });
}
