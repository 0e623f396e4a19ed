/** Dropping the working state of a run that is over, in chunks: a large frontier must not hold up the settlements of others. */
import type { LedgerCore } from "../ledger-core.ts";
import { createGoneMarking } from "../rights/gone-pages.ts";
import { IS_UNFINISHED } from "../runs/run-rows.ts";

/** Rows deleted in one transaction. */
const CHUNK_ROWS = 5_000;

/**
 * Safe to be cut off and called again. A run that may go on keeps its frontier: each chunk looks again, because another process may resume
 * the run at any time after it ended, and then fills a frontier of its own.
 */
export function createFrontierDrop(core: LedgerCore): (runRowId: number) => Promise<void> {
  const drops = [
    core.db.prepare<[number, number, number]>(
      "DELETE FROM candidate WHERE run_id = ? AND page_id IN (SELECT page_id FROM candidate WHERE run_id = ? LIMIT ?)",
    ),
    core.db.prepare<[number, number, number]>(
      "DELETE FROM frontier WHERE run_id = ? AND page_id IN (SELECT page_id FROM frontier WHERE run_id = ? LIMIT ?)",
    ),
    core.db.prepare<[number, number, number]>(
      `DELETE FROM walk_token WHERE run_id = ? AND (site_id, token_hash) IN
         (SELECT site_id, token_hash FROM walk_token WHERE run_id = ? LIMIT ?)`,
    ),
  ];
  const isUnfinished = core.db.prepare<[number]>(`SELECT 1 FROM run WHERE id = ? AND ${IS_UNFINISHED}`);
  const setDropped = core.db.prepare<[number]>(
    `UPDATE run SET frontier_dropped = 1 WHERE id = ? AND NOT (${IS_UNFINISHED})`,
  );
  const markGone = createGoneMarking(core);
  return async (runRowId) => {
    await markGone(runRowId);
    for (const drop of drops) {
      const dropChunk = () =>
        isUnfinished.get(runRowId) === undefined ? drop.run(runRowId, runRowId, CHUNK_ROWS).changes : 0;
      let dropped = CHUNK_ROWS;
      while (dropped === CHUNK_ROWS) {
        dropped = await core.write(dropChunk);
      }
    }
    await core.write(() => setDropped.run(runRowId));
  };
}
