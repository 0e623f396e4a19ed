/** What the policy of a site says about one page, with the price of the rate that it chose. A pure function, before any budget. */
import { pathOfUrl } from "../../catalog/url-path.ts";
import type { FrontierPage, PageDecision } from "../../ledger/frontier-ledger.ts";
import type { ListedTerms } from "../../list/list-entry.ts";
import { formatMoney } from "../../money/format-money.ts";
import { decideIndexing, decidePage } from "../../policy/decide-page.ts";
import { type PriceTerms, priceOf } from "../../policy/price.ts";
import type { Verdict } from "../../policy/verdict.ts";
import { isBilled } from "../../usage/use.ts";
import type { RateAnswer } from "../quote/rate-answer.ts";
import type { SiteSettings, StageDeps } from "../stage-deps.ts";

/** A page that is waiting has passed these globs before, so no count says that it is excluded. */
const LEFT_OUT: PageDecision["verdict"] = {
  kind: "denied",
  ruleIndex: null,
  reason: "no_rule_matched",
  detail: "the site's include and exclude globs leave the page out now",
};

/** Applies the policy to one page, before any budget. */
export function toPageDecision(
  deps: Pick<StageDeps, "fee">,
  site: SiteSettings,
  page: FrontierPage,
  answer: RateAnswer | null,
  now: number,
): PageDecision {
  const subject = { path: pathOfUrl(page.url), lastModAt: page.lastModAt };
  if (site.isExcluded(subject.path)) {
    // It was found when the configuration still let it in: a run that goes on obeys the one of now.
    return { pageId: page.pageId, listing: answer?.kind === "listed" ? answer.listing : null, verdict: LEFT_OUT };
  }
  if (answer === null) {
    return toDecision(deps, site, page.pageId, decideIndexing(subject, site.policy, now));
  }
  if (answer.kind !== "listed") {
    return {
      pageId: page.pageId,
      listing: null,
      verdict: {
        kind: "denied",
        ruleIndex: null,
        reason: answer.kind === "missing" ? "not_quoted" : "quote_refused",
        detail: answer.kind === "missing" ? "the gateway's bulk answer left this page out" : answer.detail,
      },
    };
  }
  const { listed } = page;
  const terms = toPriceTerms(deps, site);
  const verdict = decidePage(subject, answer.listing, site.policy, {
    now,
    currencies: site.currencies,
    listed: listed === null ? null : { terms: listed, costOf: (rate) => priceOf(rate, terms).cost.micros },
  });
  const decision = toDecision(deps, site, page.pageId, verdict);
  return { ...decision, verdict: withListedDetail(decision.verdict, listed), listing: answer.listing };
}

/** A person who reads the denial wants to know what the list allows; the rates are in the listing. */
function withListedDetail(verdict: PageDecision["verdict"], listed: ListedTerms | null): PageDecision["verdict"] {
  if (verdict.kind === "denied" && verdict.reason === "max_price" && listed?.maxPrice) {
    return { ...verdict, detail: `the list allows ${formatMoney(listed.maxPrice)} at most, fees included` };
  }
  if (verdict.kind === "denied" && verdict.reason === "not_planned" && listed?.license) {
    const { licenseType, cuid } = listed.license;
    return { ...verdict, detail: `the plan names ${licenseType}${cuid === null ? "" : ` (${cuid})`}` };
  }
  return verdict;
}

/** What is added to each rate of the site. */
function toPriceTerms({ fee }: Pick<StageDeps, "fee">, { reporting }: Pick<SiteSettings, "reporting">): PriceTerms {
  return { fee, isFetchBilled: isBilled("fetch", reporting) };
}

function toDecision(deps: Pick<StageDeps, "fee">, site: SiteSettings, pageId: number, verdict: Verdict): PageDecision {
  if (verdict.kind === "denied") {
    return { pageId, listing: null, verdict: { ...verdict, detail: null } };
  }
  const { rate, ruleIndex } = verdict;
  const price = rate === null ? null : priceOf(rate, toPriceTerms(deps, site));
  return { pageId, listing: null, verdict: { kind: "allowed", ruleIndex, price } };
}
