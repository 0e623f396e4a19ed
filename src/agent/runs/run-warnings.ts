/** What a person has to know of a run or a plan that is not wrong. */
import type { SiteConfig } from "../../config/config.ts";
import type { RunOrder } from "../../policy/rule.ts";
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

/** Repeated purchases of a site, which show whether its catalog reports changes that did not happen. */
export interface Repurchases {
  readonly host: string;
  /** Pages that were bought again, and how many of them had the same content as before. */
  readonly repurchased: number;
  readonly repurchasedEqual: number;
}

/** A sentence with the numbers and the remedy. Null when no page was bought twice without need. */
export function describeEqualRepurchases(
  { host, repurchased, repurchasedEqual }: Repurchases,
  when: "in this run" | "in recent runs",
): string | null {
  return repurchasedEqual === 0
    ? null
    : `${host}: of ${repurchased} pages that were bought again ${when}, ${repurchasedEqual} had the same content as the stored version; if lastMod is the time of the catalog's build, set refresh.minAge for this site`;
}

/**
 * The order `value` without a value is that of `cheapest`, which nobody meant who asked for it.
 * @returns null when a rule gives a value, or another order is asked for
 */
export function warnOfNoValue(order: RunOrder, sites: readonly SiteConfig[]): string | null {
  const isValued = sites.some(({ policy }) => policy.rules.some(({ value }) => value !== null));
  return order !== "value" || isValued
    ? null
    : "run.order is value, and no rule of these sites says what a page is worth (`value`): the cheapest pages are bought first";
}
