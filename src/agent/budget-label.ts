import type { Budget } from "../budget/budget.ts";
import { scopeKey } from "../budget/scope.ts";

/** How a budget is named to people: `all per month`, `site:news.example per day`, `run`. */
export function budgetLabel({ scope, period, currency }: Budget): string {
  const per = period === "total" ? "" : ` per ${period}`;
  return `${scopeKey(scope)}${per} (${currency})`;
}
