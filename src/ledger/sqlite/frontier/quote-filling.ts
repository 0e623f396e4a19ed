/**
 * Quote batches are filled across catalog pages, so that a catalog of small pages still asks for rates in bulk. A site has one
 * batch that fills at most; it becomes ready when it is full, when the walk ends, or when nothing else is to do (leases.ts).
 */
import type { Tx } from "../operation.ts";

export interface FillingBatch {
  /** The batch that the next page goes into. */
  place(): number;
  /** Writes the sizes. */
  done(): void;
}

const SET_FILLING =
  "UPDATE run_site SET filling_batch_id = ?, waiting_pages = waiting_pages + ? WHERE run_id = ? AND site_id = ?";

/** Goes on filling a site's batch. Pages added are counted by `done`. */
export function resumeFilling(
  tx: Tx,
  { runRowId, siteId, batchSize }: { readonly runRowId: number; readonly siteId: number; readonly batchSize: number },
): FillingBatch {
  let filling =
    tx.get<{ id: number; size: number }>`SELECT b.id, b.size FROM run_site s JOIN batch b ON b.id = s.filling_batch_id
      AND b.state = 'filling' WHERE s.run_id = ${runRowId} AND s.site_id = ${siteId}` ?? null;
  let added = 0;
  function close(batch: { id: number; size: number }): void {
    const isFull = batch.size >= batchSize;
    tx.run`UPDATE batch SET size = ${batch.size}, state = ${isFull ? "ready" : "filling"}, ready_at = ${isFull ? 0 : null}
      WHERE id = ${batch.id}`;
  }
  return {
    place() {
      if (filling !== null && filling.size >= batchSize) {
        close(filling);
        filling = null;
      }
      filling ??= {
        id: tx.value<number>`INSERT INTO batch (run_id, site_id, stage, state, size, ready_at)
          VALUES (${runRowId}, ${siteId}, 'quote', 'filling', 0, NULL) RETURNING id` as number,
        size: 0,
      };
      filling.size += 1;
      added += 1;
      return filling.id;
    },
    done() {
      if (added > 0 && filling !== null) {
        close(filling);
        tx.run(SET_FILLING, filling.size >= batchSize ? null : filling.id, added, runRowId, siteId);
      }
    },
  };
}

/** Makes a site's filling batch ready: no more pages will come. */
export function finishFilling(tx: Tx, runRowId: number, siteId: number): void {
  if (
    tx.run`UPDATE batch SET state = 'ready', ready_at = 0 WHERE run_id = ${runRowId} AND site_id = ${siteId} AND stage = 'quote'
      AND state = 'filling'`.changes > 0
  ) {
    tx.run(SET_FILLING, null, 0, runRowId, siteId);
  }
}
