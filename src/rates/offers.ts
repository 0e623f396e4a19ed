/**
 * Which of a page's rates can be bought. Everything a gateway lists is shown; only an offer is ever put before the policy.
 */
import { isLicenseType, type License, type LicenseType } from "./license.ts";
import type { Rate } from "./rate.ts";

/** A rate that can be bought: its licence type is one that a token can name. */
export interface Offer extends Rate {
  readonly license: License & { readonly licenseType: LicenseType };
}

/** Why a rate cannot be bought, in words. */
export type OfferFlaw =
  | "the gateway marked it with an error"
  | "its licence type is unknown"
  | "a custom licence without an id cannot be ordered"
  | "it has expired"
  | "it has no currency"
  | "its price is negative";

/** What keeps a rate from being an offer at `now` (epoch ms); null when nothing does. */
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

/** True when the rate can be bought at `now` (epoch ms). */
export function isOffer(rate: Rate, now: number): rate is Offer {
  return findOfferFlaw(rate, now) === null;
}
