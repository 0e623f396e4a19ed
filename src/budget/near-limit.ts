import { type Micros, subtractMicros } from "../money/micros.ts";
import { percentOf } from "../money/percent-of.ts";
import type { Balance, Budget } from "./budget.ts";
import { headroom } from "./headroom.ts";

/** From this share of its limit a budget is worth a warning: time to raise the limit, or to expect the end of buying. */
export const BUDGET_WARNING_PERCENT = 80;

interface BudgetUsage {
  /** Settled, in doubt and set aside, fees included: all that counts against the budget. */
  readonly countedMicros: Micros;
  /** Whole percent of the limit, rounded down. Above 100 when the limit is exceeded. */
  readonly percent: number;
}

/** How much of a budget is used, if that is worth a warning. Null for a limit of 0, which says that nothing is to be bought. */
export function findNearLimit(budget: Budget, balance: Balance): BudgetUsage | null {
  if (budget.limitMicros === 0) {
    return null;
  }
  const countedMicros = subtractMicros(budget.limitMicros, headroom(budget, balance));
  const percent = percentOf(countedMicros, budget.limitMicros);
  return percent >= BUDGET_WARNING_PERCENT ? { countedMicros, percent } : null;
}
