/** Decides which of a page's rates can be bought. All listed rates are shown, but only an offer reaches the policy. */
import { isLicenseType, type KnownLicenseType, type License } from "./license.ts";
import type { Rate } from "./rate.ts";

/** A rate that can be bought: a token can name its license type. */
export interface Offer extends Rate {
  readonly license: License & { readonly licenseType: KnownLicenseType };
}

/** Why a rate cannot be bought. */
export const OFFER_FLAWS = [
  "the gateway marked it with an error",
  "its licence type is unknown",
  "a custom licence without an id cannot be ordered",
  "it has expired",
  "it has no currency",
  "its price is negative",
] as const;
/** Why a rate cannot be bought. */
export type OfferFlaw = (typeof OFFER_FLAWS)[number];

/** The reason why a rate is not an offer at `now` (epoch ms), or null when it is one. */
export function findOfferFlaw(rate: Rate, now: number): OfferFlaw | null {
  const { license, price } = rate;
  if (rate.error !== null && rate.error !== "") {
    return "the gateway marked it with an error";
  }
  if (!isLicenseType(license.licenseType)) {
    return "its licence type is unknown";
  }
  if (license.licenseType === "CUSTOM_LICENSE" && (license.cuid === null || license.cuid === "")) {
    return "a custom licence without an id cannot be ordered";
  }
  if (rate.validUntilAt !== null && rate.validUntilAt <= now) {
    return "it has expired";
  }
  if (price.currency === "") {
    return "it has no currency";
  }
  return price.micros < 0 ? "its price is negative" : null;
}

/**
 * True when the rate can be bought at `now` (epoch ms, such as `Date.now()`): a known license, a price that can be paid, no error and not
 * expired.
 */
export function isOffer(rate: Rate, now: number): rate is Offer {
  return findOfferFlaw(rate, now) === null;
}
