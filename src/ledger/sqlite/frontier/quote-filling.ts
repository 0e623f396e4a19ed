/**
 * Quote batches are filled across catalog pages, so that a catalog of small pages still asks for rates in bulk. A site has one
 * batch that fills at most; it becomes ready when it is full, when the walk ends, or when nothing else is to do (leases.ts).
 */
import type { Tx } from "../operation.ts";

export interface FillingBatch {
  /** Puts a page into the batch. @returns the batch, for the page's row of the frontier */
  place(pageId: number): number;
  /** Writes the pages. */
  done(): void;
}

const SET_FILLING =
  "UPDATE run_site SET filling_batch_id = ?, waiting_pages = waiting_pages + ? WHERE run_id = ? AND site_id = ?";

/** Goes on filling a site's batch. Pages added are counted by `done`. */
export function resumeFilling(
  tx: Tx,
  { runRowId, siteId, batchSize }: { readonly runRowId: number; readonly siteId: number; readonly batchSize: number },
): FillingBatch {
  const found =
    tx.get<{
      id: number;
      pages: string | null;
    }>`SELECT b.id, b.pages FROM run_site s JOIN batch b ON b.id = s.filling_batch_id
      AND b.state = 'filling' WHERE s.run_id = ${runRowId} AND s.site_id = ${siteId}` ?? null;
  let filling =
    found === null ? null : { id: found.id, pages: found.pages === null ? [] : (JSON.parse(found.pages) as number[]) };
  let added = 0;
  function close({ id, pages }: { id: number; pages: readonly number[] }): void {
    const isFull = pages.length >= batchSize;
    tx.run`UPDATE batch SET size = ${pages.length}, pages = ${JSON.stringify(pages)}, state = ${isFull ? "ready" : "filling"},
      ready_at = ${isFull ? 0 : null} WHERE id = ${id}`;
  }
  return {
    place(pageId) {
      if (filling !== null && filling.pages.length >= batchSize) {
        close(filling);
        filling = null;
      }
      filling ??= {
        id: tx.insert`INSERT INTO batch (run_id, site_id, stage, state, size, ready_at)
          VALUES (${runRowId}, ${siteId}, 'quote', 'filling', 0, NULL)`,
        pages: [],
      };
      filling.pages.push(pageId);
      added += 1;
      return filling.id;
    },
    done() {
      if (added > 0 && filling !== null) {
        close(filling);
        tx.run(SET_FILLING, filling.pages.length >= batchSize ? null : filling.id, added, runRowId, siteId);
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
