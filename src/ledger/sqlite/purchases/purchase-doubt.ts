/** Holding a purchase in doubt, for the operations that end one purchase or a run. Called within a write. */
import type { DoubtReason } from "../../../purchase/purchase.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { accountOf, MONEY_ROW_COLUMNS, type MoneyRow, reservedTotal } from "../money/purchase-money.ts";
import { createPurchaseResolution } from "./purchase-resolution.ts";

export interface Doubt {
  readonly purchaseId: number;
  readonly reason: DoubtReason;
  readonly detail: string;
  readonly now: number;
}

/**
 * `started → in_doubt`: all that was reserved counts as in doubt from now on. Where that is nothing there is nothing that a person could
 * say: it is resolved as not charged in the same transaction. null when it was not started.
 */
export function createPurchaseDoubt(core: LedgerCore): (doubt: Doubt) => "in_doubt" | "released" | null {
  const resolve = createPurchaseResolution(core);
  const update = core.db.prepare<[number, string, string, number], MoneyRow>(
    `UPDATE purchase SET state = 'in_doubt', ended_at = ?, token = NULL, token_expires_at = NULL, reason = ?, detail = ?
     WHERE id = ? AND state = 'started'
     RETURNING ${MONEY_ROW_COLUMNS}`,
  );
  return ({ purchaseId, reason, detail, now }) => {
    const row = update.get(now, reason, detail, purchaseId);
    if (row === undefined) {
      return null;
    }
    if (row.currency !== null) {
      const account = accountOf(core, row, row.currency);
      account.reservedMicros -= reservedTotal(row);
      account.inDoubtMicros += reservedTotal(row);
    }
    core.tallies.add({ runId: row.runId, siteId: row.siteId, kind: "in_doubt" }, 1);
    if (reservedTotal(row) > 0) {
      return "in_doubt";
    }
    resolve({ purchaseId, row, charged: false, source: "nothing_to_charge", now });
    return "released";
  };
}
