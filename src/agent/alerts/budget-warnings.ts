/** Budgets of which so much is used that a person should know. */
import type { Balance, Budget } from "../../budget/budget.ts";
import { findNearLimit } from "../../budget/near-limit.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { formatMoney } from "../../money/format-money.ts";
import type { Micros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import { budgetLabel } from "./budget-label.ts";

/** A budget of which at least 80 % is used. Micros are of its currency. */
export interface BudgetWarning {
  readonly label: string;
  /** Settled, in doubt and set aside, fees included: all that counts against the budget. */
  readonly countedMicros: Micros;
  /** Whole percent of the limit, rounded down. Above 100 when the limit is exceeded. */
  readonly percent: number;
  readonly limitMicros: Micros;
  readonly currency: Currency;
}

export function toBudgetWarnings(
  balances: readonly { readonly budget: Budget; readonly balance: Balance }[],
): BudgetWarning[] {
  return balances.flatMap(({ budget, balance }) => {
    const usage = findNearLimit(budget, balance);
    const { limitMicros, currency } = budget;
    return usage === null ? [] : [{ label: budgetLabel(budget), ...usage, limitMicros, currency }];
  });
}

/** @param query the budgets and sites that a run has, and its id once it has begun */
export async function readBudgetWarnings(
  ledger: Pick<Ledger, "readBalances">,
  query: Parameters<Ledger["readBalances"]>[0],
): Promise<BudgetWarning[]> {
  return toBudgetWarnings(await ledger.readBalances(query));
}

/** `80 % of the budget all per month (USD) is used: 24.00 of 30.00 USD are settled, in doubt or set aside` */
export function describeBudgetWarning({ label, percent, countedMicros, limitMicros, currency }: BudgetWarning): string {
  const counted = formatMoney({ micros: countedMicros, currency }).slice(0, -currency.length - 1);
  const limit = formatMoney({ micros: limitMicros, currency });
  return `${percent} % of the budget ${label} is used: ${counted} of ${limit} are settled, in doubt or set aside`;
}
