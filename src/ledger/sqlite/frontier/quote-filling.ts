/**
 * Quote batches are filled across catalog pages, so that a catalog of small pages still asks for rates in bulk. A site has one
 * batch that fills at most; it becomes ready when it is full, when the walk ends, or when nothing else is to do (leases.ts).
 */
import type { Connection } from "../engine/connection.ts";

export interface QuoteFilling {
  /** Goes on filling a site's batch. Pages added are counted by `done`. */
  resume(site: { readonly runRowId: number; readonly siteId: number; readonly batchSize: number }): FillingBatch;
  /** Makes a site's filling batch ready: no more pages will come. */
  finish(runRowId: number, siteId: number): void;
}

export interface FillingBatch {
  /** The batch that the next page goes into. */
  place(): number;
  /** Writes the sizes. */
  done(): void;
}

export function createQuoteFilling(db: Connection): QuoteFilling {
  const select = db.prepare<[number, number], { id: number; size: number }>(
    "SELECT b.id, b.size FROM run_site s JOIN batch b ON b.id = s.filling_batch_id AND b.state = 'filling' WHERE s.run_id = ? AND s.site_id = ?",
  );
  const insert = db
    .prepare<[number, number], number>(
      "INSERT INTO batch (run_id, site_id, stage, state, size, ready_at) VALUES (?, ?, 'quote', 'filling', 0, NULL) RETURNING id",
    )
    .pluck();
  const setSize = db.prepare<[number, string, number | null, number]>(
    "UPDATE batch SET size = ?, state = ?, ready_at = ? WHERE id = ?",
  );
  const setFilling = db.prepare<[number | null, number, number, number]>(
    "UPDATE run_site SET filling_batch_id = ?, waiting_pages = waiting_pages + ? WHERE run_id = ? AND site_id = ?",
  );
  const makeReady = db.prepare<[number, number]>(
    "UPDATE batch SET state = 'ready', ready_at = 0 WHERE run_id = ? AND site_id = ? AND stage = 'quote' AND state = 'filling'",
  );
  return {
    resume({ runRowId, siteId, batchSize }) {
      let filling = select.get(runRowId, siteId) ?? null;
      let added = 0;
      function close(batch: { id: number; size: number }): void {
        const isFull = batch.size >= batchSize;
        setSize.run(batch.size, isFull ? "ready" : "filling", isFull ? 0 : null, batch.id);
      }
      return {
        place() {
          if (filling !== null && filling.size >= batchSize) {
            close(filling);
            filling = null;
          }
          filling ??= { id: insert.get(runRowId, siteId) as number, size: 0 };
          filling.size += 1;
          added += 1;
          return filling.id;
        },
        done() {
          if (added > 0 && filling !== null) {
            close(filling);
            setFilling.run(filling.size >= batchSize ? null : filling.id, added, runRowId, siteId);
          }
        },
      };
    },
    finish(runRowId, siteId) {
      if (makeReady.run(runRowId, siteId).changes > 0) {
        setFilling.run(null, 0, runRowId, siteId);
      }
    },
  };
}
