/**
 * Taking back what a run only reserved: nothing of it was sent, so the money is free again and its pages wait to be quoted and decided
 * anew. What was started stays with its batch and is probed. Called within a write.
 */

import type { ReleaseReason, TAKEN_BACK_REASONS } from "../../../purchase/purchase.ts";
import { giveRow } from "../frontier/frontier-ranges.ts";
import type { Tx } from "../operation.ts";
import { isOpenOfBatch, recountWaiting } from "../runs/batches.ts";
import { moveToReleased } from "./purchase-rows.ts";

export interface TakingBack {
  readonly runRowId: number;
  /** null: every site of the run. */
  readonly siteId: number | null;
  readonly reason: ReleaseReason & (typeof TAKEN_BACK_REASONS)[number];
  readonly detail: string;
  readonly now: number;
}

const OF_BATCHES = "b.run_id = @runRowId AND (@siteId IS NULL OR b.site_id = @siteId) AND b.stage = 'acquire'";

const SELECT_RESERVED = `SELECT p.id AS purchaseId, p.page_id AS pageId FROM batch b CROSS JOIN purchase p ON ${isOpenOfBatch("p")}
  WHERE ${OF_BATCHES} AND p.state = 'reserved'`;

const DELETE_EMPTY = `DELETE FROM batch AS b WHERE ${OF_BATCHES} AND NOT EXISTS (SELECT 1 FROM purchase p WHERE ${isOpenOfBatch("p")})`;

/** Pages wait in no batch after it (waiting-pages.ts). @returns how many reservations were released */
export function takeBack(tx: Tx, { runRowId, siteId, reason, detail, now }: TakingBack): number {
  const reserved = tx.all<{ purchaseId: number; pageId: number }>(SELECT_RESERVED, { runRowId, siteId });
  for (const { purchaseId, pageId } of reserved) {
    moveToReleased(tx, { purchaseId, reason, detail, now });
    giveRow(tx, runRowId, pageId);
    tx.run`UPDATE frontier SET state = 'waiting', batch_id = NULL WHERE run_id = ${runRowId} AND page_id = ${pageId}`;
  }
  tx.run(DELETE_EMPTY, { runRowId, siteId });
  recountWaiting(tx, runRowId, siteId);
  return reserved.length;
}
