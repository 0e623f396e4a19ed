/** What a plan does other than an earlier one, page by page, in money. */
import { type Micros, subtractMicros, ZERO_MICROS } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { License } from "../rates/license.ts";
import type { PlanLine } from "./plan-line.ts";

/** The most that a plan lets a page set aside, and under which license. All null: the page is only indexed. */
export interface PagePrice {
  readonly maxPriceMicros: Micros | null;
  readonly currency: Currency | null;
  readonly license: Pick<License, "licenseType" | "cuid"> | null;
}

/** One page that two plans have in another way. `before` is null where it is added, `after` where it is dropped. */
export interface PlanChange {
  readonly change: "added" | "dropped" | "changed";
  readonly url: string;
  readonly before: PagePrice | null;
  readonly after: PagePrice | null;
}

export function toPagePrice({ maxPrice, planned }: PlanLine): PagePrice {
  return {
    maxPriceMicros: maxPrice?.micros ?? null,
    currency: maxPrice?.currency ?? null,
    license: planned?.license ?? null,
  };
}

/** @returns null when the page costs the same under the same license in both, or is in none */
export function findChange(url: string, before: PagePrice | null, after: PagePrice | null): PlanChange | null {
  if (before === null || after === null) {
    return before === after ? null : { change: before === null ? "added" : "dropped", url, before, after };
  }
  return before.maxPriceMicros === after.maxPriceMicros &&
    before.currency === after.currency &&
    before.license?.licenseType === after.license?.licenseType &&
    before.license?.cuid === after.license?.cuid
    ? null
    : { change: "changed", url, before, after };
}

/** What a change adds to the sum of the plan, by currency. Below zero: it takes away. */
export function moneyOf({ before, after }: Pick<PlanChange, "before" | "after">): ReadonlyMap<Currency, Micros> {
  const sums = new Map<Currency, Micros>();
  for (const [price, sign] of [
    [after, 1],
    [before, -1],
  ] as const) {
    if (price !== null && price.currency !== null && price.maxPriceMicros !== null) {
      const known = sums.get(price.currency) ?? ZERO_MICROS;
      sums.set(price.currency, subtractMicros(known, (-sign * price.maxPriceMicros) as Micros));
    }
  }
  return sums;
}
