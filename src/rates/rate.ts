import { toMicros } from "../money/micros.ts";
import type { Money } from "../money/money.ts";
import type { License } from "./license.ts";

/**
 * The dearest that a page is believed to be: a million currency units. A price or charge beyond it is a gateway's mistake or
 * its malice, and one of them would fill every balance to the brim, where sums can no longer be counted exactly.
 */
export const MAX_PRICE_MICROS = toMicros(1_000_000_000_000);

/** A licence with its price for one page (gateway-spec § Rate option). */
export interface Rate {
  readonly license: License;
  readonly price: Money;
  /** A non-empty `error` makes the rate no offer (gateway-notes § Answers that differ between deployments). */
  readonly error: string | null;
  /** `license.validUntil` as epoch ms; null when absent or unparsable. */
  readonly validUntilAt: number | null;
}

/** What a gateway listed for one page. */
export interface RateListing {
  readonly rates: readonly Rate[];
  /** Rates that could not be read (a fractional, negative or missing price …), each with its reason. Never bought. */
  readonly unreadable: readonly string[];
}
