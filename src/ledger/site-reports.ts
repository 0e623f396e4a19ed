/** Reads what stands about sites and days, mostly in counters and balances, without changing it. Part of `LedgerReports`. */
import type { Currency } from "../money/money.ts";
import type { RateListing } from "../rates/rate.ts";
import type { RunState } from "../run/run-state.ts";
import type { RunTrigger, SiteStop } from "./run-ledger.ts";
import type { DaySpend, Spend, SpendOfDay, SpendOfSite, SpendQuery } from "./spend.ts";

/** How many, as far as one look counts. */
export interface BoundedCount {
  readonly pages: number;
  /** There are more than one look counts. */
  readonly isAtLeast: boolean;
}

/** One site in one run. */
export interface RunOfSite {
  readonly runId: string;
  readonly state: RunState;
  readonly trigger: RunTrigger;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** What ended the work on the site, and its text. Null: nothing did, or the run is at work. */
  readonly stop: SiteStop | null;
  readonly stopDetail: string | null;
  /** What the walk had to say, such as that it was cut. */
  readonly walkWarning: string | null;
}

/** A site of the ledger. Instants are epoch ms. */
export interface SiteFacts {
  readonly host: string;
  /** Pages whose content is stored. */
  readonly stored: BoundedCount;
  /** When the newest and the oldest stored version was stored. */
  readonly newestStoredAt: number | null;
  readonly oldestStoredAt: number | null;
  /** What was ever spent on it. */
  readonly spend: Readonly<Record<Currency, Spend>>;
  /** An open item that keeps every run from buying here. */
  readonly stop: { readonly stop: SiteStop; readonly detail: string } | null;
  readonly lastFullWalkAt: number | null;
  /** The newest run of the site, and the newest that walked its catalog, among the newest 5,000 runs. */
  readonly lastRun: RunOfSite | null;
  readonly lastWalk: RunOfSite | null;
}

/** A page that was quoted, with what the gateway listed and what was decided. */
export interface QuotedPage {
  /** Of its URL. */
  readonly path: string;
  /** Epoch ms. */
  readonly lastModAt: number | null;
  /** When it was decided, epoch ms. */
  readonly at: number;
  /** Place of its rates in `listings`. */
  readonly listing: number;
  readonly isApproved: boolean;
}

export interface QuotedPages {
  readonly pages: readonly QuotedPage[];
  /** Equal listings are kept once. */
  readonly listings: readonly RateListing[];
}

export interface SiteReports {
  /** What the UTC day of an instant cost so far, over all sites, by currency. One row each. @param query.at epoch ms */
  readDay(query: { readonly at: number }): Promise<Readonly<Record<Currency, DaySpend>>>;
  /**
   * What days cost: by day and currency, the first day first, and all of them together by site and currency. Reads one row for each site, day and
   * currency. @param query.host null: all sites
   */
  readDays(
    query: SpendQuery & { readonly host: string | null },
  ): Promise<{ readonly days: readonly SpendOfDay[]; readonly sites: readonly SpendOfSite[] }>;
  /**
   * Sites of the ledger by host. Counts stored pages in an index, 200,000 entries at the most. @param query.host only this one. Null: those after `after`
   */
  readSites(query: {
    readonly host: string | null;
    readonly after: string;
    readonly limit: number;
  }): Promise<readonly SiteFacts[]>;
  /** How many pages of a site were stored in each time before `now`, ms, the shortest first, as far as one look counts; the last one: earlier. */
  readAges(query: {
    readonly host: string;
    /** The stored pages of the site, as `readSites` counted them. */
    readonly total: BoundedCount;
    readonly now: number;
    readonly agesMs: readonly number[];
  }): Promise<readonly BoundedCount[]>;
  /**
   * Pages of the newest runs of a site that were quoted, each once, as approved and denied as these runs decided. Looks at some rows of the newest 50 runs.
   */
  readQuoted(query: { readonly host: string; readonly limit: number }): Promise<QuotedPages>;
}
