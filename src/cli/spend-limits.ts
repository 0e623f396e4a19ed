/** The limits that the progress line shows: for each currency, the least that any limit of the whole run leaves. */
import type { StatusReport } from "../agent/agent.ts";
import type { Micros } from "../money/micros.ts";
import type { Currency, Money } from "../money/money.ts";

/**
 * Budgets of a single site are left out, because they end that site and not the run. The budget of a resumed run is left out too,
 * because part of it was spent before.
 * @param status the status before the run
 */
export function spendLimits(
  status: { readonly budgets: readonly Pick<StatusReport["budgets"][number], "budget" | "leftMicros">[] },
  run: { readonly maxSpend: Money | null; readonly resumed: boolean },
): ReadonlyMap<Currency, Micros> {
  const limits = new Map<Currency, Micros>();
  const lower = (currency: Currency, micros: Micros) => {
    const known = limits.get(currency);
    limits.set(currency, known === undefined || micros < known ? micros : known);
  };
  for (const { budget, leftMicros } of status.budgets) {
    if (budget.scope.kind === "all" && leftMicros !== null) {
      lower(budget.currency, leftMicros);
    }
    if (budget.scope.kind === "run" && !run.resumed) {
      lower(budget.currency, budget.limitMicros);
    }
  }
  if (run.maxSpend !== null && !run.resumed) {
    lower(run.maxSpend.currency, run.maxSpend.micros);
  }
  return limits;
}
