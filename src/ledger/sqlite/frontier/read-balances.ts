import type { Budget } from "../../../budget/budget.ts";
import { type BalanceKey, budgetBalanceKey } from "../../../budget/scope.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createSelectBalance } from "../reports/select-balance.ts";

/** Stands for a run that has not begun: its balance is zero. */
const NO_RUN_YET = "";

type BalancesQuery = Parameters<Ledger["readBalances"]>[0];

/**
 * What counts against each budget at `now`, in the order given. Budgets of other hosts than those asked for are left out. A
 * `run` budget without a `runId` reads as one of a run that has not begun: nothing counts yet.
 */
export function createReadBalances({ db, read }: LedgerCore): Ledger["readBalances"] {
  const select = createSelectBalance(db);
  return (query) =>
    read(() =>
      query.budgets.flatMap((budget) => {
        const key = keyOf(budget, query);
        return key === null ? [] : [{ budget, ...select({ ...key, currency: budget.currency }) }];
      }),
    );
}

function keyOf(budget: Budget, { hosts, runId, now }: BalancesQuery): BalanceKey | null {
  const { scope } = budget;
  if (scope.kind === "site" && !hosts.includes(scope.host)) {
    return null;
  }
  const host = scope.kind === "site" ? scope.host : "";
  return budgetBalanceKey(budget, { host, runId: runId ?? NO_RUN_YET, at: now });
}
