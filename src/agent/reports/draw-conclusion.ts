/** Gathers what the conclusion of `explain` is drawn from. */
import type { Balance, Budget } from "../../budget/budget.ts";
import { createBalanceReader } from "../../budget/covering-budgets.ts";
import { leftAndOver } from "../../budget/headroom.ts";
import { createSiteLimits, type SiteLimits } from "../../budget/site-limits.ts";
import { type Exclusion, explainExclusion } from "../../catalog/entry-filter.ts";
import { isWorthQuoting } from "../../catalog/freshness.ts";
import type { PageUrl } from "../../catalog/page-url.ts";
import type { SiteConfig } from "../../config/config.ts";
import { locateSetting } from "../../config/files/locate-setting.ts";
import type { LicetError } from "../../errors.ts";
import type { PageRecord } from "../../ledger/ledger-reports.ts";
import type { OpenItem } from "../../ledger/usage-ledger.ts";
import type { Money } from "../../money/money.ts";
import { describeRule } from "../../policy/describe-rule.ts";
import type { Verdict } from "../../policy/verdict.ts";
import { isRenewalDue, isTooShortToRenew, type RenewableContent } from "../../rights/renewal.ts";
import { type ExpiryPolicies, toExpiryPolicies } from "../../rights/rights.ts";
import { budgetLabel } from "../alerts/budget-label.ts";
import type { Resources } from "../compose.ts";
import { type Conclusion, conclude } from "./conclusion.ts";

/** Stands for the next run, of which no budget has counted anything. */
const NEXT_RUN = "";

/** What is known of a page when its rates have been asked for. */
export interface Explained {
  readonly site: SiteConfig;
  readonly page: PageUrl;
  readonly record: PageRecord | null;
  readonly verdict: Verdict | null;
  readonly error: LicetError | null;
  readonly isRefused: boolean;
  /** What the page would set aside. */
  readonly cost: Money | null;
  readonly balances: readonly { readonly budget: Budget; readonly balance: Balance }[];
}

export async function drawConclusion(resources: Resources, explained: Explained): Promise<Conclusion> {
  const { config, clock } = resources;
  const { site, page, record, verdict, error, isRefused, cost, balances } = explained;
  const { policy, refresh } = site;
  const now = clock.now();
  const expiry = toExpiryPolicies(config.policies.values(), config.sites);
  const exclusion = explainExclusion(site, page.path);
  const limits = createSiteLimits({
    readBalance: createBalanceReader(balances, { runId: NEXT_RUN, at: now }),
    budgets: config.budgets,
    host: site.host,
    runId: NEXT_RUN,
    now,
    runPagesLeft: config.run.maxPages,
    sitePagesLeft: site.maxPages,
    maxSpend: config.run.maxSpend,
    exhausted: new Map(),
  });
  return conclude({
    host: site.host,
    policy: { name: policy.name, rules: policy.rules.map(describeRule) },
    exclusion,
    place: exclusion === null ? null : await locateGlobs(resources, site, exclusion),
    record,
    isUnchanged: record !== null && isUnchanged(record, site, expiry, now),
    isTooShortToRenew: record !== null && isTooShort(record, expiry, now),
    refresh,
    now,
    block: record === null ? null : await findBlock(resources, record, site),
    stoppedBy: await findStoppingItem(resources, site),
    verdict,
    error,
    isRefused,
    cost,
    limits,
    leftOf: (reached) => describeLeft(reached, balances),
  });
}

function locateGlobs({ config }: Resources, site: SiteConfig, exclusion: Exclusion): Promise<string | null> {
  const at = ["sites", config.sites.indexOf(site)] as const;
  return locateSetting(
    config,
    exclusion.kind === "excluded" ? [...at, "exclude", exclusion.index] : [...at, "include"],
  );
}

/** Says whether a walk would count the page as unchanged. What was only indexed was not bought. */
function isUnchanged(
  record: PageRecord,
  { policy, refresh }: SiteConfig,
  expiry: ExpiryPolicies,
  now: number,
): boolean {
  const { stored, lastMod, lastModAt } = record;
  const counts = stored !== null && !(policy.intent === "content" && stored.indexingOnly);
  if (!counts) {
    return false;
  }
  const isRenewed = isRenewalDue(toRenewable(record, stored), expiry, now);
  return !isWorthQuoting({ lastMod, lastModAt }, { ...stored, isRenewalDue: isRenewed }, refresh, now);
}

/** Says whether the rights ended, and the version is not renewed by itself because it was a renewal and lasted too short. */
function isTooShort(record: PageRecord, expiry: ExpiryPolicies, now: number): boolean {
  if (record.stored === null) {
    return false;
  }
  const renewable = toRenewable(record, record.stored);
  return isRenewalDue({ ...renewable, previous: null }, expiry, now) && isTooShortToRenew(renewable, expiry);
}

function toRenewable({ host }: PageRecord, stored: NonNullable<PageRecord["stored"]>): RenewableContent {
  const { previous } = stored;
  return { content: { ...stored, host }, previous: previous === null ? null : { ...previous, host } };
}

async function findBlock(resources: Resources, { pageId }: PageRecord, { policy }: SiteConfig) {
  const ledger = await resources.ledger("read");
  const [blocked] = await ledger.findBlocked({ pageIds: [pageId], inDoubt: policy.inDoubt });
  return blocked?.reason ?? null;
}

/** An open item that names a site stops it (ledger/sqlite/runs/lasting-stops.ts). */
async function findStoppingItem(resources: Resources, { host }: SiteConfig): Promise<OpenItem | null> {
  const ledger = await resources.ledger("read");
  const { openItems } = await ledger.readStatus();
  return openItems.find((item) => item.host === host) ?? null;
}

function describeLeft(limits: SiteLimits, balances: Explained["balances"]) {
  const [spent] = limits.spent();
  const read = balances.find(({ budget }) => budget === spent?.budget);
  return read === undefined
    ? null
    : { label: budgetLabel(read.budget), leftMicros: leftAndOver(read.budget, read.balance).leftMicros };
}
