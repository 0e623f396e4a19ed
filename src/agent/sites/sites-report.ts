/** What `agent.sites` and `agent.siteDetails` take and return. */
import type { BoundedCount, RunOfSite, SiteFacts } from "../../ledger/site-reports.ts";
import type { SpendOfDay } from "../../ledger/spend.ts";
import type { MoneyInput } from "../../money/money-input.ts";
import type { PriceStudy } from "../../policy/price-study.ts";

export const SITE_STATES = ["stopped", "paused", "at_work", "ended_early", "ready", "new", "not_configured"] as const;
/**
 * How a site stands: `stopped` by an open item; `paused` by a person; `at_work` in a run now; `ended_early`, because something ended its last run; `ready`; `new`, without any
 * run; `not_configured` any more.
 */
export type SiteState = (typeof SITE_STATES)[number];

/** Which sites. */
export interface SitesOptions {
  /** At most so many. @default 50 */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before. @default from the first site */
  readonly cursor?: string | undefined;
}

/** One site of the configuration or of the ledger. */
export interface SiteStatus extends Omit<SiteFacts, "stop"> {
  readonly state: SiteState;
  /** What stops it, or what ended its last run, and the text of that. Null: nothing. */
  readonly stop: RunOfSite["stop"];
  readonly stopDetail: string | null;
  /** The policy that buys here. Null: it is not configured. */
  readonly policyName: string | null;
  /** When its schedule starts a run next. Null: it has no schedule. */
  readonly nextSlotAt: number | null;
}

/** `sites --json`: by host. */
export interface SitesReport {
  readonly sites: readonly SiteStatus[];
  /** Give it as `cursor` to read on. Null: this is the last page. */
  readonly nextCursor: string | null;
}

/** What is asked about one site. */
export interface SiteDetailsOptions {
  /** What would another `maxPrice` have bought, such as `"0.02 USD"`? @default not asked */
  readonly maxPrice?: MoneyInput | undefined;
}

/** Stored pages by the age of what is stored. */
export interface StoredAge extends BoundedCount {
  /** At most so many days, and more than in the line before. Null: older than all others. */
  readonly days: number | null;
}

/** `sites HOST --json`. */
export interface SiteDetails {
  readonly site: SiteStatus;
  readonly ages: readonly StoredAge[];
  /** The first and the last of the UTC days of `days`. Both are included. */
  readonly from: string;
  readonly to: string;
  /** What the last 30 UTC days cost, as budgets per day count it. A day without purchases is left out. */
  readonly days: readonly SpendOfDay[];
  /** The prices of its newest quoted pages. Null: the site is not configured, its policy only indexes, or no budget covers it. */
  readonly prices: PriceStudy | null;
}
