/** Ends a quote batch; pages of it that were left out wait in a batch of their own. Called within a write. */

import type { Tx } from "../operation.ts";
import type { LeasedBatch } from "../runs/batches.ts";
import { addQuoteBatch, removeBatch } from "../runs/batches.ts";
import { giveRows } from "./frontier-ranges.ts";

export interface BatchEnd {
  /** The pages that wait in the batch. */
  readonly due: readonly number[];
  readonly decided: readonly number[];
  /** Those that became candidates. */
  readonly quoted: readonly number[];
}

/** Takes a quote batch out of the table: so its decided pages are decided (frontier-state.ts), and the rest has a new one. */
export function finishBatch(tx: Tx, batch: LeasedBatch, { due, decided, quoted }: BatchEnd): void {
  const { runRowId } = batch;
  const ended = new Set([...decided, ...quoted]);
  const left = due.filter((pageId) => !ended.has(pageId));
  if (quoted.length + left.length > 0) {
    giveRows(tx, batch.id);
  }
  for (const pageId of quoted) {
    tx.run`UPDATE frontier SET state = 'quoted', batch_id = NULL WHERE run_id = ${runRowId} AND page_id = ${pageId}`;
  }
  if (left.length > 0) {
    const leftId = addQuoteBatch(tx, batch, left);
    for (const pageId of left) {
      tx.run`UPDATE frontier SET batch_id = ${leftId} WHERE run_id = ${runRowId} AND page_id = ${pageId}`;
    }
  }
  removeBatch(tx, batch);
}
