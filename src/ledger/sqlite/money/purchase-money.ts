import type { Currency } from "../../../money/money.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { Account } from "./balance-book.ts";

/** What a movement of a purchase's money needs of its row. */
export interface MoneyRow {
  readonly runRowId: number;
  readonly siteId: number;
  readonly quotedMicros: number;
  readonly feeMicros: number;
  readonly useReserveMicros: number;
  /** NULL for indexing. */
  readonly currency: Currency | null;
  readonly reservedAt: number;
}

/** The columns of purchase that make a MoneyRow, for SELECT and RETURNING. */
export const MONEY_ROW_COLUMNS = `run_id AS runRowId, site_id AS siteId, quoted_micros AS quotedMicros, fee_micros AS feeMicros,
  use_reserve_micros AS useReserveMicros, currency, reserved_at AS reservedAt`;

/** All that a purchase sets aside: the quote, the fee on it, and the report of the fetch where that is billed too. */
export function reservedTotal(row: Pick<MoneyRow, "quotedMicros" | "feeMicros" | "useReserveMicros">): number {
  return row.quotedMicros + row.feeMicros + row.useReserveMicros;
}

/** The balance rows in which a purchase counts its whole life, in one currency. */
export function accountOf(core: LedgerCore, row: MoneyRow, currency: Currency): Account {
  return core.balances.account({
    host: core.hosts.hostOf(row.siteId),
    runId: core.runs.nameOf(row.runRowId),
    at: row.reservedAt,
    currency,
  });
}
