/** Which budgets cover a movement of money, and against which balance rows they are checked. */
import { ZERO_MICROS } from "../money/micros.ts";
import type { Currency, Money } from "../money/money.ts";
import type { Balance, Budget } from "./budget.ts";
import { headroom } from "./headroom.ts";
import { type BalanceKey, budgetBalanceKey, budgetedCurrencies, type MovementPlace } from "./scope.ts";

/** One balance row. */
export interface BalanceKeyInCurrency extends BalanceKey {
  readonly currency: Currency;
}

/**
 * Looks balances up by their row, in what was read budget by budget. A row of which no budget was read counts nothing.
 * @param runId of the run whose limits are asked for
 */
export function createBalanceReader(
  read: readonly { readonly budget: Budget; readonly balance: Balance }[],
  { runId, at }: Pick<MovementPlace, "at"> & { readonly runId: string },
): (key: BalanceKeyInCurrency) => Balance {
  const rows = new Map<string, Balance>();
  for (const { budget, balance } of read) {
    const host = budget.scope.kind === "site" ? budget.scope.host : "";
    for (const { key } of coveringBudgets([budget], { host, runId, at }, budget.currency)) {
      rows.set(nameRow(key), balance);
    }
  }
  return (key) => rows.get(nameRow(key)) ?? NOTHING;
}

/** A text for each balance row. */
export function nameRow({ scope, period, currency }: BalanceKeyInCurrency): string {
  return `${scope} ${period} ${currency}`;
}

const NOTHING: Balance = { spentMicros: ZERO_MICROS, inDoubtMicros: ZERO_MICROS, reservedMicros: ZERO_MICROS };

/** Whether a cost fits one budget. Of another currency, it does not. */
export function fitsBudget(budget: Budget, balance: Balance, cost: Money): boolean {
  return cost.currency === budget.currency && cost.micros <= headroom(budget, balance);
}

/** The budgets of a currency that cover a movement of money, each with the balance row that it is checked against. */
export function coveringBudgets(
  budgets: readonly Budget[],
  place: MovementPlace,
  currency: Currency,
): readonly { readonly budget: Budget; readonly key: BalanceKeyInCurrency }[] {
  return budgets.flatMap((budget) => {
    const key = budget.currency === currency ? budgetBalanceKey(budget, place) : null;
    return key === null ? [] : [{ budget, key: { ...key, currency } }];
  });
}

/**
 * Whether nothing more can be bought on a site: a budget is used up in each currency that it can be bought in.
 * @param onlyCurrency that of the run's maxSpend; null: those of the budgets
 */
export function isSpentOut(
  exhausted: ReadonlyMap<Currency, string>,
  site: { readonly budgets: readonly Budget[]; readonly host: string; readonly onlyCurrency: Currency | null },
): boolean {
  const { budgets, host, onlyCurrency } = site;
  const currencies = onlyCurrency === null ? [...budgetedCurrencies(budgets, host)] : [onlyCurrency];
  return currencies.every((currency) => exhausted.has(currency));
}
