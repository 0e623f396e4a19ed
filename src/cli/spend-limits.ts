/** What the progress line shows spend against: per currency, the least that any limit over the whole run leaves. */
import type { StatusReport } from "../agent/agent.ts";
import type { Micros } from "../money/micros.ts";
import type { Currency, Money } from "../money/money.ts";

/**
 * Budgets of a single site are left out: they end that site, not the run. So is the run's own budget when a run is resumed,
 * since part of it was spent before.
 * @param status from before the run
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
