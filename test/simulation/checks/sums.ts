/** Sums of money by place and currency, kept up to date row by row. */
import { type Counted, totalOf } from "./money.ts";

/** Micros, by currency or by `<place> <currency>`. */
export type Sums = Map<string, number>;

export function add(sums: Sums, key: string, micros: number): void {
  sums.set(key, (sums.get(key) ?? 0) + micros);
}

export function addAt(sums: Sums, places: readonly string[], currency: string, micros: number): void {
  for (const place of micros === 0 ? [] : places) {
    add(sums, `${place} ${currency}`, micros);
  }
}

/** What a row counts more than before, by currency. */
export function difference(before: Counted | null, now: Counted | null): Sums {
  const difference: Sums = new Map();
  if (before !== null) {
    add(difference, before.currency, -totalOf(before));
  }
  if (now !== null) {
    add(difference, now.currency, totalOf(now));
  }
  return difference;
}
