/** By which terms the age of stored content and the end of its rights are judged. */
import type { RefreshTerms } from "../catalog/freshness.ts";
import { withoutRenewals } from "../rights/renewal.ts";
import type { ExpiryPolicies } from "../rights/rights.ts";
import type { StageDeps } from "./stage-deps.ts";

export interface AgeTerms {
  readonly expiry: ExpiryPolicies;
  /** The refresh terms of a site. */
  readonly refreshOf: (site: { readonly refresh: RefreshTerms }) => RefreshTerms;
}

/**
 * While the clock may be wrong, nothing is out of date by it: a year ahead, it would buy every page again. And hours behind, it would take what was
 * bought since for something of a wrong clock.
 */
export function ageTermsOf(
  { buyingClock, expiry, gateway }: Pick<StageDeps, "buyingClock" | "expiry" | "gateway">,
  now: number,
): AgeTerms {
  return buyingClock.isSure(now)
    ? { expiry, refreshOf: ({ refresh }) => refresh }
    : {
        expiry: withoutRenewals(expiry),
        refreshOf: ({ refresh }) => ({ ...refresh, maxAgeMs: null, gatewayAt: gateway.dateAt() }),
      };
}
