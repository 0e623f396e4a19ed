/** `agent.spend`: what days cost, from the balances that budgets count with. */
import type { DaySpend, SpendOfDay, SpendOfSite } from "../../ledger/spend.ts";
import { addMicros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import type { Resources } from "../compose.ts";
import { chooseUsualDays, toDayRange } from "./chosen-days.ts";
import { combineSpends } from "./combine-spends.ts";

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

/** @throws LicetError USAGE_INVALID for a text that is not a day, or a last day without a first one; LEDGER_* */
export async function spendAgent(
  { clock, ledger }: Pick<Resources, "clock" | "ledger">,
  { from, to, site }: SpendOptions,
): Promise<SpendReport> {
  const range = toDayRange(chooseUsualDays({ from, to }, clock.now()));
  const host = site?.toLowerCase() ?? null;
  const { days, sites } = await (await ledger("read")).readDays({ ...range, host });
  return { from: range.firstDay, to: range.lastDay, site: host, days, sites, totals: addUp(days) };
}

function addUp(days: readonly SpendOfDay[]): SpendTotal[] {
  const totals = new Map<string, SpendTotal>();
  for (const { day, currency, ...spend } of days) {
    const known = totals.get(currency);
    totals.set(currency, { currency, ...(known === undefined ? spend : add(known, spend)) });
  }
  return [...totals.values()];
}

function add(a: DaySpend, b: DaySpend): DaySpend {
  return { ...combineSpends(a, b, addMicros), bought: a.bought + b.bought, failed: a.failed + b.failed };
}
