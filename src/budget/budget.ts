import { addMicros, type Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";

export const BUDGET_PERIODS = ["day", "week", "month", "total"] as const;
/** UTC calendar periods; weeks begin on Monday (ISO 8601). */
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** What a budget covers: everything, one host, or each run separately. */
export type BudgetScope =
  | { readonly kind: "all" }
  | { readonly kind: "site"; readonly host: string }
  | { readonly kind: "run" };

/** One line of `budgets`: one scope, one period, one currency. */
export interface Budget {
  readonly scope: BudgetScope;
  readonly period: BudgetPeriod;
  readonly limitMicros: Micros;
  readonly currency: Currency;
}

/** What is counted against a budget in its current period (promise 1). */
export interface Balance {
  /** What was charged, fees included. */
  readonly spentMicros: Micros;
  readonly inDoubtMicros: Micros;
  readonly reservedMicros: Micros;
}

/** Of balances in one currency. */
export function addBalances(a: Balance, b: Balance): Balance {
  return {
    spentMicros: addMicros(a.spentMicros, b.spentMicros),
    inDoubtMicros: addMicros(a.inDoubtMicros, b.inDoubtMicros),
    reservedMicros: addMicros(a.reservedMicros, b.reservedMicros),
  };
}
