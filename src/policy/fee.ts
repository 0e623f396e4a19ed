import { addMicros, type Micros, ZERO_MICROS } from "../money/micros.ts";
import type { Money } from "../money/money.ts";
import { multiplyPpmCeil } from "../money/multiply-ppm.ts";
import type { Fee } from "./rule.ts";

/** What a purchase set aside, and what it was charged. */
export interface FeeOfCharge {
  readonly quoted: Money;
  /** The fee on the quote, as the decision set it aside. */
  readonly setAsideMicros: Micros;
  readonly charged: Money;
}

/**
 * The fee that is booked with a charge. The fee of the decision counts: when the configured fee changes between decision and
 * answer, no more may be booked than was reserved (promise 1). Only a charge above the quote, or in another currency, books more.
 * @param fee as it is configured now
 */
export function feeOfCharge(fee: Fee | null, { quoted, setAsideMicros, charged }: FeeOfCharge): Micros {
  const isOrdered = charged.currency === quoted.currency;
  if (isOrdered && charged.micros === quoted.micros) {
    return setAsideMicros;
  }
  const current = feeOf(fee, charged);
  return isOrdered && charged.micros < quoted.micros && current > setAsideMicros ? setAsideMicros : current;
}

/**
 * The gateway's fee on a price, in micros of the price's currency. It is rounded up, so that a
 * reservation is never too small. The fixed part counts only when it is in the price's currency, because it cannot be converted.
 * @param fee null when the gateway adds none
 */
export function feeOf(fee: Fee | null, price: Money): Micros {
  if (fee === null) {
    return ZERO_MICROS;
  }
  const share = multiplyPpmCeil(price.micros, fee.ratePpm);
  return fee.fixed !== null && fee.fixed.currency === price.currency ? addMicros(share, fee.fixed.micros) : share;
}
