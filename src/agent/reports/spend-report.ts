/** What `agent.spend` takes and returns. */
import type { DaySpend, SpendOfDay, SpendOfSite } from "../../ledger/spend.ts";
import type { Currency } from "../../money/money.ts";

/** Which days, and of which site. */
export interface SpendOptions {
  /** The first UTC day: `"2026-11-20"`, `"today"` or `"yesterday"`. @default 30 days up to today */
  readonly from?: string | undefined;
  /** With `from`, the last UTC day, which is included. At most 366 days. @default today */
  readonly to?: string | undefined;
  /** Only this site: its host. It need not be configured any more. */
  readonly site?: string | undefined;
}

/**
 * `spend --json`: what some UTC days cost, as budgets per day count it: an amount stands on the day on which its purchase was decided. A statement counts
 * by the day of the booking instead.
 */
export interface SpendReport {
  /** The first and the last UTC day, such as `2026-11-23`. Both are included. */
  readonly from: string;
  readonly to: string;
  /** Null: all sites. */
  readonly site: string | null;
  /** By day and currency, the first day first. A day on which nothing was bought is left out. */
  readonly days: readonly SpendOfDay[];
  /** The same amounts by site and currency. */
  readonly sites: readonly SpendOfSite[];
  /** All days together, by currency. */
  readonly totals: readonly SpendTotal[];
}

/** What some UTC days cost together, in one currency. */
export interface SpendTotal extends DaySpend {
  readonly currency: Currency;
}
