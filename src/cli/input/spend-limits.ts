/** The limits that the progress line shows and that end a run: for each currency, the least that any of them leaves. */
import type { StatusReport } from "../../agent/reports/status-report.ts";
import { addMicros, type Micros, ZERO_MICROS } from "../../money/micros.ts";
import type { Currency, Money } from "../../money/money.ts";
import type { SpendLimits } from "../progress/work-left.ts";

/** The budgets before the run. */
interface BudgetsBefore {
  readonly budgets: readonly Pick<StatusReport["budgets"][number], "budget" | "leftMicros">[];
}

/**
 * @param run.spentBefore what a resumed run had spent before: limits of a run cover that too
 */
export function toSpendLimits(
  status: BudgetsBefore,
  run: () => { readonly maxSpend: Money | null; readonly spentBefore: ReadonlyMap<Currency, Micros> },
): SpendLimits {
  return { run: () => runLimits(status, run()), site: (host) => siteLimits(status, host) };
}

/** A budget of a single site ends that site and not the run. */
function siteLimits({ budgets }: BudgetsBefore, host: string): ReadonlyMap<Currency, Micros> {
  const limits = new Map<Currency, Micros>();
  for (const { budget, leftMicros } of budgets) {
    if (budget.scope.kind === "site" && budget.scope.host === host && leftMicros !== null) {
      lower(limits, budget.currency, leftMicros);
    }
  }
  return limits;
}

function runLimits(
  status: BudgetsBefore,
  run: { readonly maxSpend: Money | null; readonly spentBefore: ReadonlyMap<Currency, Micros> },
): ReadonlyMap<Currency, Micros> {
  const limits = new Map<Currency, Micros>();
  for (const { budget, leftMicros } of status.budgets) {
    const { currency, limitMicros } = budget;
    if (budget.scope.kind === "all" && leftMicros !== null) {
      lower(limits, currency, addMicros(leftMicros, run.spentBefore.get(currency) ?? ZERO_MICROS));
    }
    if (budget.scope.kind === "run") {
      lower(limits, currency, limitMicros);
    }
  }
  if (run.maxSpend !== null) {
    lower(limits, run.maxSpend.currency, run.maxSpend.micros);
  }
  return limits;
}

function lower(limits: Map<Currency, Micros>, currency: Currency, micros: Micros): void {
  const known = limits.get(currency);
  limits.set(currency, known === undefined || micros < known ? micros : known);
}
