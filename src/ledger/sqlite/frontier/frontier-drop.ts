/** Dropping the working state of a run that is over, in chunks: a large frontier must not hold up the settlements of others. */

import type { LedgerCore } from "../ledger-core.ts";
import type { Tx } from "../operation.ts";
import { markGone } from "../rights/gone-pages.ts";
import { IS_UNFINISHED } from "../runs/run-rows.ts";

/** Rows deleted in one transaction. */
const CHUNK_ROWS = 5_000;

const DROPS = [
  "DELETE FROM candidate WHERE run_id = ? AND page_id IN (SELECT page_id FROM candidate WHERE run_id = ? LIMIT ?)",
  "DELETE FROM frontier WHERE run_id = ? AND page_id IN (SELECT page_id FROM frontier WHERE run_id = ? LIMIT ?)",
  "DELETE FROM frontier_range WHERE run_id = ? AND first_page_id IN (SELECT first_page_id FROM frontier_range WHERE run_id = ? LIMIT ?)",
  `DELETE FROM walk_token WHERE run_id = ? AND (site_id, token_hash) IN
   (SELECT site_id, token_hash FROM walk_token WHERE run_id = ? LIMIT ?)`,
];

const MAY_GO_ON = `SELECT 1 FROM run WHERE id = ? AND ${IS_UNFINISHED}`;

/**
 * Safe to be cut off and called again. A run that may go on keeps its frontier: each chunk looks again, because another process may resume
 * the run at any time after it ended, and then fills a frontier of its own.
 */
export async function dropFrontier(core: LedgerCore, runRowId: number): Promise<void> {
  await markGone(core, runRowId);
  let isDropped = false;
  while (!isDropped) {
    isDropped = await core.write(dropChunk, runRowId);
  }
}

/**
 * Called within a write: the run is marked as dropped in the one that deletes the last row, so nobody can fill it in between.
 * @returns whether nothing is left to drop, or the run may go on
 */
export function dropChunk(tx: Tx, runRowId: number): boolean {
  if (tx.has(MAY_GO_ON, runRowId)) {
    return true;
  }
  let left = CHUNK_ROWS;
  for (const drop of DROPS) {
    left -= tx.run(drop, runRowId, runRowId, left).changes;
    if (left === 0) {
      return false;
    }
  }
  tx.run`UPDATE run SET frontier_dropped = 1 WHERE id = ${runRowId}`;
  return true;
}
