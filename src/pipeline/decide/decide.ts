/**
 * Stage 3: decides each page of a batch by the policy and reserves the money in one ledger transaction. The policy's verdict is a
 * pure function. The ledger checks the budgets inside the transaction that reserves the money (promises 1 and 2).
 */
import { pathOfUrl } from "../../catalog/url-path.ts";
import type {
  Decided,
  DecisionTerms,
  FrontierPage,
  OpenedQuoteBatch,
  PageDecision,
  SiteTerms,
} from "../../ledger/frontier-ledger.ts";
import type { ListedTerms } from "../../list/list-entry.ts";
import { formatMoney } from "../../money/format-money.ts";
import { decideIndexing, decidePage } from "../../policy/decide-page.ts";
import { type PriceTerms, priceOf } from "../../policy/price.ts";
import type { Verdict } from "../../policy/verdict.ts";
import { isBilled } from "../../usage/use.ts";
import { type AgeTerms, ageTermsOf } from "../age-terms.ts";
import { warnOfFlawedRates } from "../quote/flawed-rates.ts";
import { answerAt, type RateAnswer } from "../quote/rate-answer.ts";
import { siteOf } from "../site-of.ts";
import type { SiteSettings, StageDeps } from "../stage-deps.ts";

/** @param answers in the order of the batch's pages; null under `intent: indexing` */
export async function decide(
  deps: StageDeps,
  leaseId: string,
  opened: OpenedQuoteBatch,
  answers: readonly RateAnswer[] | null,
): Promise<void> {
  const { host, pages } = opened;
  const site = siteOf(deps, host);
  const now = deps.clock.now();
  deps.buyingClock.check(now);
  const ages = ageTermsOf(deps, now);
  const decided = await deps.ledger.decide({
    ...toSiteTerms(site, ages),
    ...toDecisionTerms(deps, [host], now, ages),
    leaseId,
    decisions: pages.map((page, index) => toPageDecision(deps, site, page, answerAt(answers, index), now)),
  });
  if (!decided.stale) {
    await deps.book?.note(decided.planned, now);
    warnOfFlawedRates(deps, host, pages, answers, now);
    tellDecided(deps, { host, ...decided });
  }
}

export function toSiteTerms(site: SiteSettings, { refreshOf }: Pick<AgeTerms, "refreshOf">): SiteTerms {
  const { policy, ruleTexts } = site.policy;
  const { name, intent, format, inDoubt, retentionMs } = policy;
  const reportsFetch = intent === "content" && site.reporting.kinds.includes("fetch");
  const refresh = refreshOf(site);
  return { policyName: name, ruleTexts, intent, format, inDoubt, reportsFetch, refresh, retentionMs };
}

/** @param hosts of the decisions */
export function toDecisionTerms(
  { budgets, sites, limits, book }: StageDeps,
  hosts: readonly string[],
  now: number,
  { expiry }: Pick<AgeTerms, "expiry">,
): DecisionTerms {
  const { acquireBatchSize } = limits;
  const terms = { now, expiry, budgets, indexingHosts: listIndexingHosts(sites), acquireBatchSize };
  return book === null ? terms : { ...terms, book: book.read(hosts) };
}

export function tellDecided(
  { events }: Pick<StageDeps, "events">,
  { host, approved, denied, spent = [], exhausted }: Omit<Decided, "stale"> & { readonly host: string },
): void {
  events.decided({ host, approved, denied });
  for (const { currency, detail } of spent) {
    events.warned(`${host}: the ${detail} is used up; no more pages priced in ${currency} are bought`);
  }
  if (exhausted !== null) {
    events.siteStopped({ host, ...exhausted });
  }
}

const indexingHosts = new WeakMap<StageDeps["sites"], readonly string[]>();

/** Cached, because the list is the same for each batch and a run can have thousands of sites. */
function listIndexingHosts(sites: StageDeps["sites"]): readonly string[] {
  let hosts = indexingHosts.get(sites);
  if (hosts === undefined) {
    hosts = [...sites.values()].filter(({ policy }) => policy.policy.intent === "indexing").map(({ host }) => host);
    indexingHosts.set(sites, hosts);
  }
  return hosts;
}

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
export function toPriceTerms(
  { fee }: Pick<StageDeps, "fee">,
  { reporting }: Pick<SiteSettings, "reporting">,
): PriceTerms {
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
