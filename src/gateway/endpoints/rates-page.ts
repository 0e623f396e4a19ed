/** The endpoint *Get Rate* of the gateway specification. */
import type { RateListing } from "../../rates/rate.ts";
import { isObject } from "../json-answer.ts";
import { readRateListing } from "./rate-option.ts";

/** The listing, or null when the answer is not one. An object with `rates` has the form of a bulk answer's entry. */
export function readPageRates(json: unknown): RateListing | null {
  if (Array.isArray(json)) {
    return readRateListing(json);
  }
  return isObject(json) && Array.isArray(json.rates) ? readRateListing(json.rates) : null;
}
