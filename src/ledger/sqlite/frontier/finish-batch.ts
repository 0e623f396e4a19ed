/** Ends a quote batch; pages of it that were left out wait in a batch of their own. Called within a write. */

import type { Tx } from "../operation.ts";
import type { LeasedBatch } from "../runs/batches.ts";
import { addBatch, removeBatch } from "../runs/batches.ts";

export interface BatchEnd {
  /** How many pages wait in the batch. */
  readonly due: number;
  readonly decided: readonly number[];
  /** Those that became candidates. */
  readonly quoted: readonly number[];
}

const SET_STATE = "UPDATE frontier SET state = ?, batch_id = NULL WHERE run_id = ? AND page_id = ?";

/** Takes a quote batch out of the table: its decided pages are in no batch any more, and the rest has a new one. */
export function finishBatch(tx: Tx, batch: LeasedBatch, { due, decided, quoted }: BatchEnd): void {
  const { id, runRowId, siteId } = batch;
  const left = due - decided.length - quoted.length;
  if (decided.length === due) {
    tx.run`UPDATE frontier SET state = 'decided', batch_id = NULL WHERE batch_id = ${id}`;
  } else {
    for (const pageId of decided) {
      tx.run(SET_STATE, "decided", runRowId, pageId);
    }
    for (const pageId of quoted) {
      tx.run(SET_STATE, "quoted", runRowId, pageId);
    }
  }
  if (left > 0) {
    tx.run`UPDATE frontier SET batch_id = ${addBatch(tx, { runRowId, siteId, stage: "quote", size: left })} WHERE batch_id = ${id}`;
  }
  removeBatch(tx, batch);
}
