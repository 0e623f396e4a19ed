/** Ends a quote batch; pages of it that were left out wait in a batch of their own. Called within a write. */
import type { LedgerParts } from "../ledger-parts.ts";
import type { LeasedBatch } from "../runs/batches.ts";

export interface BatchEnd {
  /** How many pages wait in the batch. */
  readonly due: number;
  readonly decided: readonly number[];
  /** Those that became candidates. */
  readonly quoted: readonly number[];
}

export function createBatchFinish(parts: LedgerParts): (batch: LeasedBatch, end: BatchEnd) => void {
  const { batches } = parts;
  const setAllDecided = parts.db.prepare<[number]>(
    "UPDATE frontier SET state = 'decided', batch_id = NULL WHERE batch_id = ?",
  );
  const set = parts.db.prepare<["decided" | "quoted", number, number]>(
    "UPDATE frontier SET state = ?, batch_id = NULL WHERE run_id = ? AND page_id = ?",
  );
  const moveRest = parts.db.prepare<[number, number]>("UPDATE frontier SET batch_id = ? WHERE batch_id = ?");
  return (batch, { due, decided, quoted }) => {
    const { id, runRowId, siteId } = batch;
    const left = due - decided.length - quoted.length;
    if (decided.length === due) {
      setAllDecided.run(id);
    } else {
      for (const pageId of decided) {
        set.run("decided", runRowId, pageId);
      }
      for (const pageId of quoted) {
        set.run("quoted", runRowId, pageId);
      }
    }
    if (left > 0) {
      moveRest.run(batches.add({ runRowId, siteId, stage: "quote", size: left }), id);
    }
    batches.remove(batch);
  };
}
