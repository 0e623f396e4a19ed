/** Undoing a reservation, for the operations that end one purchase, a site or a run. Called within a write. */
import { endsOnlyReserved, isTakenBack, type PurchaseState, type ReleaseReason } from "../../../purchase/purchase.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { accountOf, MONEY_ROW_COLUMNS, type MoneyRow, reservedTotal } from "../money/purchase-money.ts";

export interface Release {
  readonly purchaseId: number;
  readonly reason: ReleaseReason;
  readonly detail: string;
  readonly now: number;
}

/**
 * `reserved | started → released`, with its money and its count; from `reserved` alone where there was no token, or where the
 * decision is taken back. False when it was neither.
 */
export function createPurchaseRelease(core: LedgerCore): (release: Release) => boolean {
  const update = core.db.prepare<[number, string, string, number, string], MoneyRow>(
    `UPDATE purchase SET state = 'released', ended_at = ?, token = NULL, token_expires_at = NULL, reason = ?, detail = ?
     WHERE id = ? AND state IN ('reserved', ?)
     RETURNING ${MONEY_ROW_COLUMNS}`,
  );
  const uncountOfRun = core.db.prepare<[number]>("UPDATE run SET approved = approved - 1 WHERE id = ?");
  const uncountOfSite = core.db.prepare<[number, number]>(
    "UPDATE run_site SET approved = approved - 1 WHERE run_id = ? AND site_id = ?",
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
    const { runId, siteId } = row;
    core.tallies.add({ runId, siteId, kind: "released", reason }, 1);
    if (isTakenBack(reason)) {
      // The page may be decided again, and would count twice against maxPages.
      uncountOfRun.run(runId);
      uncountOfSite.run(runId, siteId);
      core.tallies.add({ runId, siteId, kind: "approved" }, -1);
    }
    return true;
  };
}
