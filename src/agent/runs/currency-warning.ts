import type { DenialReason } from "../../policy/verdict.ts";

const REASON: DenialReason = "no_budget_in_currency";

/** How many pages were denied because no budget is in the currency of their offers. */
export function countUnbudgeted(denials: Readonly<Record<string, number>>): number {
  return denials[REASON] ?? 0;
}

/** Of a run or a plan whose pages are offered in a currency without a budget. Null: there were none. */
export function warnOfCurrencies(denials: Readonly<Record<string, number>>): string | null {
  const count = countUnbudgeted(denials);
  const pages = count === 1 ? "1 page is" : `${count} pages are`;
  return count === 0
    ? null
    : `${pages} offered only in a currency without a budget, and not bought (${REASON}): licet check names the currency; add a budget in it`;
}
