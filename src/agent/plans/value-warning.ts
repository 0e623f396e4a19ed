/** The order `value` without a value: it is that of `cheapest`, which nobody meant who asked for it. */
import type { SiteConfig } from "../../config/config.ts";
import type { RunOrder } from "../../policy/rule.ts";

/** @returns null when a rule gives a value, or another order is asked for */
export function warnOfNoValue(order: RunOrder, sites: readonly SiteConfig[]): string | null {
  const isValued = sites.some(({ policy }) => policy.rules.some(({ value }) => value !== null));
  return order !== "value" || isValued
    ? null
    : "run.order is value, and no rule of these sites says what a page is worth (`value`): the cheapest pages are bought first";
}
