/** Removing the list of a run that is removed itself. */
import type { LedgerCore } from "../ledger-core.ts";

/** Rows deleted in one transaction: the settlements of a run beside it must not wait long. */
const CHUNK_ROWS = 5_000;

/** The few rows of a list: each takes the row of the run. Its pages, which may be many, go before (`dropListedPages`). */
export const REMOVALS_OF_LIST = [
  "DELETE FROM rejected_line WHERE run_id = ?",
  "DELETE FROM rejected_line_total WHERE run_id = ?",
  "DELETE FROM run_list WHERE run_id = ?",
] as const;

/** Writes: listed_page, in chunks. Safe to be cut off and called again. */
export async function dropListedPages(core: LedgerCore, runRowId: number): Promise<void> {
  for (let removed = CHUNK_ROWS; removed === CHUNK_ROWS; ) {
    removed = await core.write(
      (tx) =>
        tx.run`DELETE FROM listed_page WHERE run_id = ${runRowId} AND page_id IN (SELECT page_id FROM listed_page
          WHERE run_id = ${runRowId} LIMIT ${CHUNK_ROWS})`.changes,
    );
  }
}
