/** What a purchase's row counts in the balances. */
import { SET_ASIDE_PARTS, type SetAside } from "../../../budget/set-aside.ts";
import type { Currency } from "../../../money/money.ts";
import type { Tx } from "../tx.ts";
import type { Account } from "./balance-book.ts";

/** What a movement of a purchase's money needs of its row. */
export interface MoneyRow extends SetAside {
  readonly runRowId: number;
  readonly siteId: number;
  /** NULL for indexing. */
  readonly currency: Currency | null;
  readonly reservedAt: number;
}

/** `quotedMicros` is the column `quoted_micros`. */
const SET_ASIDE_COLUMNS = SET_ASIDE_PARTS.map(
  (part) => [part.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), part] as const,
);

/** The columns of purchase that make a MoneyRow, for SELECT and RETURNING. */
export const MONEY_ROW_COLUMNS = `run_id AS runRowId, site_id AS siteId, currency, reserved_at AS reservedAt, ${SET_ASIDE_COLUMNS.map(([column, name]) => `${column} AS ${name}`).join(", ")}`;

/** What a row of purchase sets aside (`setAsideMicros`), for sums over many rows. */
export const SET_ASIDE_SQL = SET_ASIDE_COLUMNS.map(([column]) => column).join(" + ");

/** The balance rows in which a purchase counts its whole life, in one currency. */
export function accountOf(tx: Tx, row: MoneyRow, currency: Currency): Account {
  return tx.balances.account({
    host: tx.hosts.hostOf(row.siteId),
    runId: tx.runs.nameOf(row.runRowId),
    at: row.reservedAt,
    currency,
  });
}
