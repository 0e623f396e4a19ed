/** Which budgets cover a purchase, and whether it fits them (design § Budgets). */
import type { ScenarioBudget } from "../scenario.ts";
import type { PurchaseRow } from "./ledger-rows.ts";
import { placesOfPurchase } from "./money.ts";

/** The place, with its currency, whose sum a budget limits; null when it does not cover the purchase. */
export function coveredPlace(budget: ScenarioBudget, row: PurchaseRow): string | null {
  const { scope, currency } = budget;
  if (scope === "run") {
    return `run:${row.run} total ${currency}`;
  }
  const per = budget.per ?? "total";
  const covers = scope === "all" || scope === `site:${row.host}`;
  const place = covers ? placesOfPurchase(row).find((one) => one.startsWith(`${scope} ${per}`)) : undefined;
  return place === undefined ? null : `${place} ${currency}`;
}

/**
 * What a purchase does not fit, in words; null when it fits every budget that covers it.
 * @param counts what counts at a place, the purchase included
 * @param limitCurrency of the run's maxSpend, which counts as a budget if there is none
 */
export function findMisfit(
  row: PurchaseRow,
  budgets: readonly ScenarioBudget[],
  counts: (place: string) => number,
  limitCurrency: string | null,
): string | null {
  let isCovered = limitCurrency !== null && limitCurrency === row.currency;
  for (const budget of budgets) {
    const place = budget.currency === row.currency ? coveredPlace(budget, row) : null;
    if (place !== null) {
      isCovered = true;
      if (counts(place) > budget.limitMicros) {
        return `${place} counts ${counts(place)}, the limit is ${budget.limitMicros}`;
      }
    }
  }
  return isCovered ? null : `no budget is in ${row.currency}`;
}
