import type { Balance, Budget } from "../../../budget/budget.ts";
import { type BalanceKey, budgetBalanceKey } from "../../../budget/scope.ts";
import { type Micros, toMicros } from "../../../money/micros.ts";
import type { Ledger } from "../../ledger.ts";
import type { Connection } from "../engine/connection.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { BalanceKeyInCurrency } from "../money/balance-book.ts";

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

interface BalanceRow {
  readonly settled: number;
  readonly inDoubt: number;
  readonly reserved: number;
  readonly fee: number;
}

const NOTHING: BalanceRow = { settled: 0, inDoubt: 0, reserved: 0, fee: 0 };

/** Reads one committed balance row, for reports. Within a write, what the balance book says counts. */
export function createSelectBalance(
  db: Connection,
): (key: BalanceKeyInCurrency) => { readonly balance: Balance; readonly feeMicros: Micros } {
  const select = db.prepare<[string, string, string], BalanceRow>(
    "SELECT settled_micros AS settled, in_doubt_micros AS inDoubt, reserved_micros AS reserved, fee_micros AS fee FROM balance WHERE scope = ? AND period = ? AND currency = ?",
  );
  return ({ scope, period, currency }) => {
    const { settled, inDoubt, reserved, fee } = select.get(scope, period, currency) ?? NOTHING;
    return {
      balance: {
        settledMicros: toMicros(settled),
        inDoubtMicros: toMicros(inDoubt),
        reservedMicros: toMicros(reserved),
      },
      feeMicros: toMicros(fee),
    };
  };
}
