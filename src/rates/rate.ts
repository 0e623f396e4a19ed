import { toMicros } from "../money/micros.ts";
import type { Money } from "../money/money.ts";
import type { License } from "./license.ts";

/**
 * The highest plausible price of a page: a million currency units. A higher price or charge is a mistake or an attack. A single
 * one could raise a balance so far that sums are no longer exact.
 */
export const MAX_PRICE_MICROS = toMicros(1_000_000_000_000);

/** A license with its price for one page. */
export interface Rate {
  readonly license: License;
  readonly price: Money;
  /** A rate with a non-empty `error` is not an offer. */
  readonly error: string | null;
  /** `license.validUntil` as epoch ms. Null when it is absent or cannot be parsed. */
  readonly validUntilAt: number | null;
}

/** What a gateway listed for one page. */
export interface RateListing {
  readonly rates: readonly Rate[];
  /** The reasons of rates that could not be read (a fractional, negative or missing price, and so on). They are never bought. */
  readonly unreadable: readonly string[];
}
