import { addBalances, type Balance, type Budget } from "../../../budget/budget.ts";
import type { BalanceKeyInCurrency } from "../../../budget/covering-budgets.ts";
import { type BalanceKey, budgetBalanceKey } from "../../../budget/scope.ts";
import { addMicros, type Micros, toMicros, ZERO_MICROS } from "../../../money/micros.ts";
import type { Answered, Asked, ReadTx } from "../operation.ts";
import { readRunChain } from "../runs/run-chain.ts";

/** Stands for a run that has not begun: its balance is zero. */
const NO_RUN_YET = "";

/**
 * What counts against each budget at `now`, in the order given. Budgets of other hosts than those asked for are left out. A
 * `run` budget without a `runId` reads as one of a run that has not begun: nothing counts yet. With one, what the runs counted counts too whose
 * work it took over. A run asks it before its first request, so no report is loaded for it.
 */
export function readBalances(tx: ReadTx, query: Asked<"readBalances">): Answered<"readBalances"> {
  return query.budgets.flatMap((budget) => {
    const key = keyOf(budget, query);
    if (key === null) {
      return [];
    }
    const scopes = budget.scope.kind === "run" ? scopesOfChain(tx, query.runId) : [key.scope];
    const read = scopes.map((scope) => readBalance(tx, { ...key, scope, currency: budget.currency }));
    return [{ budget, ...read.reduce(addCounted) }];
  });
}

function scopesOfChain(tx: ReadTx, runId: string | null): readonly string[] {
  const id = runId === null ? null : tx.runs.idOf(runId);
  return id === null ? [`run:${runId ?? NO_RUN_YET}`] : readRunChain(tx, id).map(({ name }) => `run:${name}`);
}

interface Counted {
  readonly balance: Balance;
  readonly feeMicros: Micros;
}

function addCounted(a: Counted, b: Counted): Counted {
  return { balance: addBalances(a.balance, b.balance), feeMicros: addMicros(a.feeMicros, b.feeMicros) };
}

function keyOf(budget: Budget, { hosts, runId, now }: Asked<"readBalances">): BalanceKey | null {
  const { scope } = budget;
  if (scope.kind === "site" && !hosts.includes(scope.host)) {
    return null;
  }
  const host = scope.kind === "site" ? scope.host : "";
  return budgetBalanceKey(budget, { host, runId: runId ?? NO_RUN_YET, at: now });
}

const NOTHING = {
  spentMicros: ZERO_MICROS,
  inDoubtMicros: ZERO_MICROS,
  reservedMicros: ZERO_MICROS,
  feeMicros: ZERO_MICROS,
};

/** Reads one committed balance row. Within a write, what the balance book says counts. */
export function readBalance(tx: ReadTx, { scope, period, currency }: BalanceKeyInCurrency): Counted {
  const row = tx.get<
    Record<keyof typeof NOTHING, number>
  >`SELECT settled_micros AS spentMicros, in_doubt_micros AS inDoubtMicros,
      reserved_micros AS reservedMicros, fee_micros AS feeMicros
    FROM balance WHERE scope = ${scope} AND period = ${period} AND currency = ${currency}`;
  const { spentMicros, inDoubtMicros, reservedMicros, feeMicros } = row ?? NOTHING;
  return {
    balance: {
      spentMicros: toMicros(spentMicros),
      inDoubtMicros: toMicros(inDoubtMicros),
      reservedMicros: toMicros(reservedMicros),
    },
    feeMicros: toMicros(feeMicros),
  };
}
