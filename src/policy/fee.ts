import { addMicros, type Micros, ZERO_MICROS } from "../money/micros.ts";
import type { Money } from "../money/money.ts";
import { multiplyPpmCeil } from "../money/multiply-ppm.ts";
import type { Fee } from "./rule.ts";

/**
 * The gateway's fee on a price, in micros of the price's currency, rounded up (gateway-notes § Answers): a reservation is
 * never too small. The fixed part counts where it is in the price's currency; it cannot be converted.
 * @param fee null when the gateway adds none
 */
export function feeOf(fee: Fee | null, price: Money): Micros {
  if (fee === null) {
    return ZERO_MICROS;
  }
  const share = multiplyPpmCeil(price.micros, fee.ratePpm);
  return fee.fixed !== null && fee.fixed.currency === price.currency ? addMicros(share, fee.fixed.micros) : share;
}
