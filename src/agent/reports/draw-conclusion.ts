/** Gathers what the conclusion of `explain` is drawn from. */
import type { Balance, Budget } from "../../budget/budget.ts";
import { leftAndOver } from "../../budget/headroom.ts";
import { isSameBudget } from "../../budget/scope.ts";
import { type Exclusion, explainExclusion } from "../../catalog/entry-filter.ts";
import type { PageUrl } from "../../catalog/page-url.ts";
import type { SiteConfig } from "../../config/config.ts";
import { locateSetting } from "../../config/files/locate-setting.ts";
import type { LicetError } from "../../errors.ts";
import type { Obstacles } from "../../ledger/frontier-ledger.ts";
import type { PageRecord } from "../../ledger/ledger-reports.ts";
import type { Money } from "../../money/money.ts";
import { describeRule } from "../../policy/describe-rule.ts";
import type { Verdict } from "../../policy/verdict.ts";
import { isRenewalDue, isTooShortToRenew, type RenewableContent } from "../../rights/renewal.ts";
import { type ExpiryPolicies, toExpiryPolicies } from "../../rights/rights.ts";
import { budgetLabel } from "../alerts/budget-label.ts";
import type { Resources } from "../compose.ts";
import { type Conclusion, conclude } from "./conclusion.ts";

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
  const obstacles = await findObstacles(resources, explained, { expiry, now });
  return conclude({
    host: site.host,
    policy: { name: policy.name, rules: policy.rules.map(describeRule) },
    exclusion,
    place: exclusion === null ? null : await locateGlobs(resources, site, exclusion),
    record,
    isTooShortToRenew: record !== null && isTooShort(record, expiry, now),
    refresh,
    now,
    obstacles,
    verdict,
    error,
    isRefused,
    cost,
    left: describeLeft(obstacles, balances),
  });
}

function locateGlobs({ config }: Resources, site: SiteConfig, exclusion: Exclusion): Promise<string | null> {
  const at = ["sites", config.sites.indexOf(site)] as const;
  return locateSetting(
    config,
    exclusion.kind === "excluded" ? [...at, "exclude", exclusion.index] : [...at, "include"],
  );
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

/** Asks the judge of every run's decisions. */
async function findObstacles(
  { ledger, config }: Resources,
  { site, record, cost }: Explained,
  at: { readonly expiry: ExpiryPolicies; readonly now: number },
): Promise<Obstacles> {
  const { host, policy, refresh, maxPages: siteMaxPages } = site;
  const { maxPages, maxSpend } = config.run;
  const { intent, inDoubt } = policy;
  const terms = { ...at, intent, inDoubt, refresh, budgets: config.budgets, maxPages, siteMaxPages, maxSpend };
  return (await ledger("read")).findObstacles({ ...terms, pageId: record?.pageId ?? null, host, cost });
}

function describeLeft({ spent }: Obstacles, balances: Explained["balances"]) {
  const read = spent === null ? undefined : balances.find(({ budget }) => isSameBudget(budget, spent.budget));
  return read === undefined
    ? null
    : { label: budgetLabel(read.budget), leftMicros: leftAndOver(read.budget, read.balance).leftMicros };
}
