/**
 * Finds rates that cannot be bought because they are flawed, not because the policy denies them: rates that cannot be read, on
 * any page, and rates that are not an offer, on pages without another offer. The user is warned, because a site whose prices are
 * all unreadable must not look like a site that the policy denied.
 */

import type { FrontierPage } from "../../ledger/frontier-ledger.ts";
import { findOfferFlaw } from "../../rates/offers.ts";
import type { RateListing } from "../../rates/rate.ts";
import type { StageDeps } from "../stage-deps.ts";
import type { RateAnswer } from "./rate-answer.ts";

/** Warns how many flawed rates a batch of one site had, if any, and describes the first one. */
export function warnOfFlawedRates(
  { events }: Pick<StageDeps, "events">,
  host: string,
  pages: readonly FrontierPage[],
  answers: readonly RateAnswer[] | null,
  now: number,
): void {
  let count = 0;
  let first: { readonly url: string; readonly flaw: string } | null = null;
  pages.forEach(({ url }, index) => {
    const answer = answers?.[index];
    const flaws = answer?.kind === "listed" ? listFlaws(answer.listing, now) : [];
    const [flaw] = flaws;
    if (flaw !== undefined) {
      count += flaws.length;
      first ??= { url, flaw };
    }
  });
  if (first !== null) {
    events.flawedRates({ host, count, ...(first as { readonly url: string; readonly flaw: string }) });
  }
}

function listFlaws({ rates, unreadable }: RateListing, now: number): readonly string[] {
  const flaws = rates.map((rate) => findOfferFlaw(rate, now));
  const hasOffer = flaws.includes(null);
  return hasOffer ? unreadable : [...unreadable, ...flaws.filter((flaw) => flaw !== null)];
}
