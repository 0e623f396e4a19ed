/**
 * Promise 1, the limits: settled + in doubt + reserved ≤ limit, from the rows, for each budget in its current period. The two
 * things that may pass a limit (a charge above the token's cap, a use that has happened) excuse what they come to, where they are flagged.
 */
import { type Audited, type AuditQuery, checksOf } from "./audited.ts";
import type { RecomputedBalance } from "./recompute-balances.ts";

/** A `run` budget: one balance for each run that the ledger knows. */
const ANY_RUN = "run";

type AuditedBudget = AuditQuery["budgets"][number];

export const NO_OVERSPEND = checksOf(1, [findOverspend]);

function findOverspend({ db, query, sumBalances }: Audited): string[] {
  const isFlagged = db
    .prepare<[string, string, string], number>(
      "SELECT 1 FROM open_item WHERE scope = ? AND period = ? AND currency = ? AND kind = 'over_budget_use' LIMIT 1",
    )
    .pluck();
  /** What may pass the limit, and is flagged. */
  function sumExcused(balance: RecomputedBalance): number {
    const { scope, period, currency, laterUseMicros } = balance;
    const isListed = laterUseMicros > 0 && isFlagged.get(scope, period, currency) !== undefined;
    return balance.overchargedMicros + (isListed ? balance.laterUseMicros : 0);
  }
  return query.budgets.flatMap((budget) =>
    sumBalances()
      .filter((balance) => isUnder(balance, budget))
      .flatMap((balance) => {
        const counted = balance.settledMicros + balance.inDoubtMicros + balance.reservedMicros;
        const excess = counted - budget.limitMicros;
        return excess > 0 && excess > sumExcused(balance) ? [describe(budget, balance, excess)] : [];
      }),
  );
}

function isUnder({ scope, period, currency }: RecomputedBalance, { key, currency: budgeted }: AuditedBudget): boolean {
  const isScope = key.scope === ANY_RUN ? scope.startsWith(`${ANY_RUN}:`) : scope === key.scope;
  return isScope && period === key.period && currency === budgeted;
}

function describe({ label, limitMicros }: AuditedBudget, balance: RecomputedBalance, excess: number): string {
  const { scope, period, currency, settledMicros, inDoubtMicros, reservedMicros } = balance;
  return `the budget ${label} is passed by ${excess} micros ${currency} (${scope}, ${period}): settled ${settledMicros} + in doubt ${inDoubtMicros} + reserved ${reservedMicros} > limit ${limitMicros}`;
}
