import type { BalanceKeyInCurrency } from "./balance-book.ts";

/** The words of an `over_budget_use` item, for people: the balance that it flags is in its columns. */
export function describeOverBudget({ scope, period, currency }: BalanceKeyInCurrency): string {
  return `uses that had to be recorded passed the budget of ${scope}, ${period}, in ${currency}: nothing more is bought under it`;
}
