/** The limits that the progress line shows: for each currency, the least that any limit of the whole run leaves. */
import type { StatusReport } from "../../agent/reports/status-report.ts";
import { addMicros, type Micros, ZERO_MICROS } from "../../money/micros.ts";
import type { Currency, Money } from "../../money/money.ts";

/**
 * Budgets of a single site are left out, because they end that site and not the run.
 * @param status the status before the run
 * @param run.spentBefore what a resumed run had spent before: limits of a run cover that too
 */
export function spendLimits(
  status: { readonly budgets: readonly Pick<StatusReport["budgets"][number], "budget" | "leftMicros">[] },
  run: { readonly maxSpend: Money | null; readonly spentBefore: ReadonlyMap<Currency, Micros> },
): ReadonlyMap<Currency, Micros> {
  const limits = new Map<Currency, Micros>();
  const lower = (currency: Currency, micros: Micros) => {
    const known = limits.get(currency);
    limits.set(currency, known === undefined || micros < known ? micros : known);
  };
  for (const { budget, leftMicros } of status.budgets) {
    const { currency, limitMicros } = budget;
    if (budget.scope.kind === "all" && leftMicros !== null) {
      lower(currency, addMicros(leftMicros, run.spentBefore.get(currency) ?? ZERO_MICROS));
    }
    if (budget.scope.kind === "run") {
      lower(currency, limitMicros);
    }
  }
  if (run.maxSpend !== null) {
    lower(run.maxSpend.currency, run.maxSpend.micros);
  }
  return limits;
}
