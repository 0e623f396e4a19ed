/**
 * Promise 1, the limits: settled + in doubt + reserved ≤ limit, from the rows, for each budget in its current period. The two
 * things that may pass a limit (a charge above the token's cap, a use that has happened) excuse what they come to, where they are flagged.
 */
import { ZERO_MICROS } from "../../money/micros.ts";
import type { Violation } from "../ledger-reports.ts";
import type { Connection } from "../sqlite/connection.ts";
import { describeOverBudget } from "../sqlite/over-budget.ts";
import type { AuditQuery } from "./audit-ledger.ts";
import { limitExamples } from "./broken-rows.ts";
import { type RecomputedBalance, recomputeBalances } from "./recompute-balances.ts";

/** A `run` budget: one balance for each run that the ledger knows. */
const ANY_RUN = "run";

type AuditedBudget = AuditQuery["budgets"][number];

export function auditNoOverspend(db: Connection, { budgets }: AuditQuery): Violation[] {
  const balances = recomputeBalances(db);
  const isFlagged = db
    .prepare<[string], number>("SELECT 1 FROM open_item WHERE kind = 'over_budget_use' AND detail = ? LIMIT 1")
    .pluck();
  const details = budgets.flatMap((budget) =>
    balances
      .filter((balance) => isUnder(balance, budget))
      .flatMap((balance) => {
        const flaggedUses =
          isFlagged.get(describeOverBudget(balance)) === undefined ? ZERO_MICROS : balance.laterUseMicros;
        const counted = balance.settledMicros + balance.inDoubtMicros + balance.reservedMicros;
        const excess = counted - budget.limitMicros;
        return excess > 0 && excess > balance.overchargedMicros + flaggedUses
          ? [describe(budget, balance, excess)]
          : [];
      }),
  );
  return limitExamples(1, details);
}

function isUnder({ scope, period, currency }: RecomputedBalance, { key, currency: budgeted }: AuditedBudget): boolean {
  const isScope = key.scope === ANY_RUN ? scope.startsWith(`${ANY_RUN}:`) : scope === key.scope;
  return isScope && period === key.period && currency === budgeted;
}

function describe({ label, limitMicros }: AuditedBudget, balance: RecomputedBalance, excess: number): string {
  const { scope, period, currency, settledMicros, inDoubtMicros, reservedMicros } = balance;
  return `the budget ${label} is passed by ${excess} micros ${currency} (${scope}, ${period}): settled ${settledMicros} + in doubt ${inDoubtMicros} + reserved ${reservedMicros} > limit ${limitMicros}`;
}
