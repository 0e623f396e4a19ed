/** Under which terms the ledger decides the pages of a run or of a plan. */
import type { DecisionTerms, SiteTerms } from "../../ledger/frontier-ledger.ts";
import type { AgeTerms } from "../age-terms.ts";
import type { SiteSettings, StageDeps } from "../stage-deps.ts";

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
