/** The limits that the progress line shows and that end a run: for each currency, the least that any of them leaves. */
import type { StatusReport } from "../../agent/reports/status-report.ts";
import { addMicros, type Micros, ZERO_MICROS } from "../../money/micros.ts";
import type { Currency, Money } from "../../money/money.ts";
import type { SpendLimits } from "../progress/work-left.ts";

/** What a budget had left before the run. */
export type BudgetLeft = Pick<StatusReport["budgets"][number], "budget" | "leftMicros">;

interface SpendFacts {
  /** Empty until they are read. */
  readonly budgets: readonly BudgetLeft[];
  readonly maxSpend: Money | null;
  /** What a resumed run had spent before: limits of a run cover that too. */
  readonly spentBefore: ReadonlyMap<Currency, Micros>;
}

/** @param read the facts as they are known by then */
export function toSpendLimits(read: () => SpendFacts): SpendLimits {
  return { run: () => runLimits(read()), site: (host) => siteLimits(read(), host) };
}

/** A budget of a single site ends that site and not the run. */
function siteLimits({ budgets }: SpendFacts, host: string): ReadonlyMap<Currency, Micros> {
  const limits = new Map<Currency, Micros>();
  for (const { budget, leftMicros } of budgets) {
    if (budget.scope.kind === "site" && budget.scope.host === host && leftMicros !== null) {
      lower(limits, budget.currency, leftMicros);
    }
  }
  return limits;
}

function runLimits({ budgets, maxSpend, spentBefore }: SpendFacts): ReadonlyMap<Currency, Micros> {
  const limits = new Map<Currency, Micros>();
  for (const { budget, leftMicros } of budgets) {
    const { currency, limitMicros } = budget;
    if (budget.scope.kind === "all" && leftMicros !== null) {
      lower(limits, currency, addMicros(leftMicros, spentBefore.get(currency) ?? ZERO_MICROS));
    }
    if (budget.scope.kind === "run") {
      lower(limits, currency, limitMicros);
    }
  }
  if (maxSpend !== null) {
    lower(limits, maxSpend.currency, maxSpend.micros);
  }
  return limits;
}

function lower(limits: Map<Currency, Micros>, currency: Currency, micros: Micros): void {
  const known = limits.get(currency);
  limits.set(currency, known === undefined || micros < known ? micros : known);
}
