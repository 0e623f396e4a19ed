/**
 * Rates that keep a page from being bought without a word of the policy: what cannot be read on any page, and what is not an offer where a page
 * has no other. A site whose prices are all texts must not look like one that nobody allowed.
 */

import type { FrontierPage } from "../ledger/frontier-ledger.ts";
import { findOfferFlaw } from "../rates/offers.ts";
import type { RateListing } from "../rates/rate.ts";
import type { Quote } from "./quote.ts";
import type { StageDeps } from "./stage-deps.ts";

/** Says how many flawed rates a batch of one site had, if any, with the first. */
export function warnOfFlawedRates(
  { events }: Pick<StageDeps, "events">,
  host: string,
  pages: readonly FrontierPage[],
  quotes: readonly Quote[] | null,
  now: number,
): void {
  let count = 0;
  let first: { readonly url: string; readonly flaw: string } | null = null;
  pages.forEach(({ url }, index) => {
    const quote = quotes?.[index];
    const flaws = quote?.kind === "listed" ? listFlaws(quote.listing, now) : [];
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
