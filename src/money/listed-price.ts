/** A price as an answer has it, which is printed as JSON: the amount beside its currency, like every cost there (decision 0101). */

import { formatMoney } from "./format-money.ts";
import type { Micros } from "./micros.ts";
import type { Currency, Money } from "./money.ts";

/** A price that an answer may lack. Both are null then. */
export interface ListedPrice {
  readonly priceMicros: Micros | null;
  readonly currency: Currency | null;
}

export function toListedPrice(price: Money | null): ListedPrice {
  return { priceMicros: price?.micros ?? null, currency: price?.currency ?? null };
}

/** In decimals, as people and models read it and `maxPrice` takes it. Null without a price. */
export function formatListedPrice({ priceMicros, currency }: ListedPrice): string | null {
  return priceMicros === null || currency === null ? null : formatMoney({ micros: priceMicros, currency });
}
