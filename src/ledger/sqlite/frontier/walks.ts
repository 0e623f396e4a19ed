/** The walk columns of run_site as a WalkState (catalog/walk-state.ts). */

import type { WalkState } from "../../../catalog/walk-state.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";
import { describeBatch, findBatch, removeBatch } from "../runs/batches.ts";
import { finishFilling } from "./quote-filling.ts";

interface WalkRow extends Omit<WalkState, "ordered"> {
  readonly ordered: number;
}

/** null when the site was stopped. */
export function readWalk(tx: ReadTx, runRowId: number, siteId: number): WalkState | null {
  const row = tx.get<WalkRow>`SELECT walk_page_token AS pageToken, walk_pages_read AS pagesRead, walk_stop_below_at AS stopBelowAt,
    walk_ordered AS ordered, walk_last_at AS lastAt, walk_newest_at AS newestAt, walk_ended AS ended
    FROM run_site WHERE run_id = ${runRowId} AND site_id = ${siteId} AND stop IS NULL`;
  return row === undefined ? null : { ...row, ordered: row.ordered === 1 };
}

/** @param warning null leaves the one there is */
export function writeWalk(tx: Tx, runRowId: number, siteId: number, state: WalkState, warning: string | null): void {
  const { pageToken, pagesRead, stopBelowAt, ordered, lastAt, newestAt, ended } = state;
  tx.run`UPDATE run_site SET walk_page_token = ${pageToken}, walk_pages_read = ${pagesRead}, walk_stop_below_at = ${stopBelowAt},
    walk_ordered = ${ordered ? 1 : 0}, walk_last_at = ${lastAt},
       walk_newest_at = ${newestAt}, walk_ended = ${ended}, walk_warning = coalesce(${warning}, walk_warning)
     WHERE run_id = ${runRowId} AND site_id = ${siteId}`;
}

/** Reads: batch, run_site. */
export function openWalk(tx: ReadTx, leaseId: Asked<"openWalk">): Answered<"openWalk"> {
  const batch = findBatch(tx, leaseId, "walk");
  const walk = batch === null ? null : readWalk(tx, batch.runRowId, batch.siteId);
  if (batch === null || walk === null) {
    return null;
  }
  return { ...describeBatch(tx, batch), walk };
}

/** Reads and writes: batch, run_site. Idempotent by lease. */
export function endWalk(tx: Tx, { leaseId, warning }: Asked<"endWalk">): boolean {
  const batch = findBatch(tx, leaseId, "walk");
  const walk = batch === null ? null : readWalk(tx, batch.runRowId, batch.siteId);
  if (batch === null || walk === null) {
    return false;
  }
  writeWalk(tx, batch.runRowId, batch.siteId, { ...walk, pageToken: null, ended: "cut" }, warning);
  removeBatch(tx, batch);
  finishFilling(tx, batch.runRowId, batch.siteId);
  return true;
}
