import type { BalanceKeyInCurrency } from "./balance-book.ts";

/**
 * The words of an `over_budget_use` item. Without amounts, so that a budget is flagged once however many uses pass it, and
 * the audit finds the flag of a balance again.
 */
export function describeOverBudget({ scope, period, currency }: BalanceKeyInCurrency): string {
  return `uses that had to be recorded passed the budget of ${scope}, ${period}, in ${currency}: nothing more is bought under it`;
}
