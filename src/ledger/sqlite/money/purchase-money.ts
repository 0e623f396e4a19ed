/** What a purchase's row counts, and what its movements write beside the row. */
import { movePurchase, type PurchaseAmounts, type Standing } from "../../../account/purchase-accounts.ts";
import { type SetAside, setAsideMicros } from "../../../budget/set-aside.ts";
import type { Currency } from "../../../money/money.ts";
import type { Tx } from "../operation.ts";
import { SET_ASIDE_COLUMNS } from "./set-aside-sql.ts";
import { writeMovement } from "./write-movement.ts";

/** What a movement of a purchase's money needs of its row. */
export interface MoneyRow extends SetAside {
  readonly runRowId: number;
  readonly siteId: number;
  /** NULL for indexing. */
  readonly currency: Currency | null;
  readonly reservedAt: number;
}

/** The columns of purchase that make a MoneyRow. */
export const MONEY_ROW_COLUMNS = `run_id AS runRowId, site_id AS siteId, currency, reserved_at AS reservedAt, ${SET_ASIDE_COLUMNS.map(([column, name]) => `${column} AS ${name}`).join(", ")}`;

export interface PurchaseMove {
  readonly purchaseId: number;
  readonly row: MoneyRow;
  /** Null: it is decided just now. */
  readonly from: Standing | null;
  readonly to: Standing;
  /** Where it is settled. */
  readonly charge?: PurchaseAmounts["charge"];
  readonly at: number;
}

/** Writes what follows from a movement: balances, counters, booking. Called where the row's state is written, and nowhere else. */
export function countPurchase(tx: Tx, { purchaseId, row, from, to, charge = null, at }: PurchaseMove): void {
  const amounts = { currency: row.currency, setAsideMicros: setAsideMicros(row), charge };
  const movement = movePurchase(amounts, from, to);
  const { runRowId, siteId, reservedAt } = row;
  // A purchase counts where it was reserved, its whole life.
  writeMovement(tx, movement, { runRowId, siteId, at: reservedAt });
  if (movement.booking !== null) {
    tx.bookings.add({ kind: movement.booking, of: { purchaseId }, at });
  }
}
