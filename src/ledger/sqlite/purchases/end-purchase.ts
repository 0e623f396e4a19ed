/** Purchases that end without content, with their money and their counts. Called within a write, but for the port's methods. */

import { setAsideMicros } from "../../../budget/set-aside.ts";
import { type DoubtReason, isTakenBack, type ReleaseReason } from "../../../purchase/purchase.ts";
import { accountOf } from "../money/purchase-money.ts";
import type { Answered, Asked } from "../operation.ts";
import { findBatch } from "../runs/batches.ts";
import type { Tx } from "../tx.ts";
import type { Ending } from "./purchase-rows.ts";
import { moveToDoubt, moveToReleased } from "./purchase-rows.ts";

/** Released: what it set aside is free again. False when it could not be released for this reason (`PurchaseRows.release`). */
export function endReserved(tx: Tx, release: Ending<ReleaseReason>): boolean {
  const row = moveToReleased(tx, release);
  if (row === null) {
    return false;
  }
  if (row.currency !== null) {
    accountOf(tx, row, row.currency).reservedMicros -= setAsideMicros(row);
  }
  const { runRowId, siteId } = row;
  const { reason } = release;
  tx.counters.add({ runRowId, siteId, kind: "released", reason }, 1);
  if (isTakenBack(reason)) {
    // The page may be decided again, and would count twice against maxPages.
    tx.run("UPDATE run SET approved = approved - 1 WHERE id = ?", runRowId);
    tx.run("UPDATE run_site SET approved = approved - 1 WHERE run_id = ? AND site_id = ?", runRowId, siteId);
    tx.counters.add({ runRowId, siteId, kind: "approved" }, -1);
  }
  return true;
}

/**
 * Writes: one purchase, its balances and count. Idempotent: false when it was neither reserved nor started, or the lease is stale:
 * whoever has the batch by now may have sent the same token, and been charged.
 */
export function releasePurchase(
  tx: Tx,
  { leaseId, ...request }: Asked<"releasePurchase">,
): Answered<"releasePurchase"> {
  return leaseId !== undefined && findBatch(tx, leaseId, "acquire") === null ? false : endReserved(tx, request);
}

/** In doubt: all that was reserved counts as in doubt from now on. False when it was not started. */
export function putInDoubt(tx: Tx, doubt: Ending<DoubtReason>): boolean {
  const row = moveToDoubt(tx, doubt);
  if (row === null) {
    return false;
  }
  const aside = setAsideMicros(row);
  if (row.currency !== null) {
    const account = accountOf(tx, row, row.currency);
    account.reservedMicros -= aside;
    account.inDoubtMicros += aside;
  }
  tx.counters.add({ runRowId: row.runRowId, siteId: row.siteId, kind: "in_doubt" }, 1);
  return true;
}

/** Writes: one purchase, its balances and count. Idempotent: false when it was not started. */
export function holdInDoubt(tx: Tx, request: Asked<"holdInDoubt">): Answered<"holdInDoubt"> {
  return putInDoubt(tx, request);
}
