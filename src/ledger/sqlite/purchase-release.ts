/** Undoing a reservation, for the operations that end one purchase, a site or a run. Called within a write. */
import { endsOnlyReserved, type PurchaseState, type ReleaseReason } from "../../purchase/purchase.ts";
import type { LedgerCore } from "./ledger-core.ts";
import { accountOf, MONEY_ROW_COLUMNS, type MoneyRow, reservedTotal } from "./purchase-money.ts";

export interface Release {
  readonly purchaseId: number;
  readonly reason: ReleaseReason;
  readonly detail: string;
  readonly now: number;
}

/**
 * `reserved | started → released`, with its money and its count; from `reserved` alone where there was no token. False when it was
 * neither.
 */
export function createPurchaseRelease(core: LedgerCore): (release: Release) => boolean {
  const update = core.db.prepare<[number, string, string, number, string], MoneyRow>(
    `UPDATE purchase SET state = 'released', ended_at = ?, token = NULL, token_expires_at = NULL, reason = ?, detail = ?
     WHERE id = ? AND state IN ('reserved', ?)
     RETURNING ${MONEY_ROW_COLUMNS}`,
  );
  return ({ purchaseId, reason, detail, now }) => {
    const from: PurchaseState = endsOnlyReserved(reason) ? "reserved" : "started";
    const row = update.get(now, reason, detail, purchaseId, from);
    if (row === undefined) {
      return false;
    }
    if (row.currency !== null) {
      accountOf(core, row, row.currency).reservedMicros -= reservedTotal(row);
    }
    core.tallies.add({ runId: row.runId, siteId: row.siteId, kind: "released", reason }, 1);
    return true;
  };
}
