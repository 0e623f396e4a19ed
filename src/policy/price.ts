/**
 * What a page costs at a rate. `priceOf` is asked once, when the page is judged. Its answer is the one price of the page from there on: the
 * limits count `cost`, and the row of the purchase is written from `rate` and `setAside`.
 */
import { type SetAside, setAsideMicros } from "../budget/set-aside.ts";
import { ZERO_MICROS } from "../money/micros.ts";
import type { Money } from "../money/money.ts";
import type { Rate } from "../rates/rate.ts";
import { feeOf } from "./fee.ts";
import type { Fee } from "./rule.ts";

/** A rate, and what a purchase at this rate sets aside. */
export interface PricedRate {
  readonly rate: Rate;
  /** Part by part. */
  readonly setAside: SetAside;
  /** All parts together, in the currency of the price. */
  readonly cost: Money;
}

/** What is added to the price of a rate. */
export interface PriceTerms {
  /** Null: the gateway adds none. */
  readonly fee: Fee | null;
  /** The report of the fetch is charged too (`reporting.billed`). */
  readonly isFetchBilled: boolean;
}

export function priceOf(rate: Rate, { fee, isFetchBilled }: PriceTerms): PricedRate {
  const { price } = rate;
  const setAside = {
    quotedMicros: price.micros,
    feeMicros: feeOf(fee, price),
    useReserveMicros: isFetchBilled ? price.micros : ZERO_MICROS,
  };
  return { rate, setAside, cost: { micros: setAsideMicros(setAside), currency: price.currency } };
}
