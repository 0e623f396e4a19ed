import type { Budget } from "../../budget/budget.ts";
import { scopeKey } from "../../budget/scope.ts";

/** The name of a budget in messages: `all per month`, `site:news.example per day`, `run`. */
export function budgetLabel({ scope, period, currency }: Budget): string {
  const per = period === "total" ? "" : ` per ${period}`;
  return `${scopeKey(scope)}${per} (${currency})`;
}
