/** Rates as an answer has them, which is printed as JSON: with the amount beside its currency, like every cost there (decision 0101). */
import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { Rate, RateListing } from "./rate.ts";

/** A license with its price for one page. */
export interface ListedRate extends Omit<Rate, "price"> {
  readonly priceMicros: Micros;
  readonly currency: Currency;
}

/** What a gateway listed for one page. */
export interface ListedRates extends Omit<RateListing, "rates"> {
  readonly rates: readonly ListedRate[];
}

export function toListedRates({ rates, unreadable }: RateListing): ListedRates {
  return { rates: rates.map(toListedRate), unreadable };
}

export function toListedRate({ license, price, error, validUntilAt }: Rate): ListedRate {
  return { license, priceMicros: price.micros, currency: price.currency, error, validUntilAt };
}
