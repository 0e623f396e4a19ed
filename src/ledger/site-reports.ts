/** Reads what stands about sites and days in counters and balances, without changing it. Part of `LedgerReports`. */
import type { Currency } from "../money/money.ts";
import type { DaySpend, SpendOfDay, SpendOfSite, SpendQuery } from "./spend.ts";

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
}
