/**
 * Old denials go as new ones come: a page that no policy allows is denied by every run, and only the last few denials say anything to
 * `explain`. What is gone is still counted (tally `pruned`), so that the sums of its run add up. Called within a write.
 */

import type { DenialReason } from "../../../policy/verdict.ts";
import type { Tx } from "../operation.ts";

/** Denials of one page that are kept. */
export const KEPT_DENIALS = 5;

const SELECT_OLD = `SELECT d.run_id AS runRowId, d.reason FROM denial d JOIN run r ON r.id = d.run_id
  WHERE d.page_id = @pageId
    AND d.run_id <= (SELECT run_id FROM denial WHERE page_id = @pageId ORDER BY run_id DESC LIMIT 1 OFFSET ${KEPT_DENIALS})
    AND r.frontier_dropped = 1
    AND NOT EXISTS (SELECT 1 FROM purchase u WHERE u.page_id = d.page_id AND u.run_id = d.run_id)`;

/**
 * Prunes what is beyond the last KEPT_DENIALS of a page. Never of a run that may go on, whose frontier names them; nor where the run
 * bought the page as well, which would count it twice.
 */
export function pruneOldDenials(tx: Tx, siteId: number, pageId: number): void {
  for (const { runRowId, reason } of tx.all<{ runRowId: number; reason: DenialReason }>(SELECT_OLD, { pageId })) {
    tx.run`DELETE FROM denial WHERE page_id = ${pageId} AND run_id = ${runRowId}`;
    tx.counters.add({ runRowId, siteId, kind: "pruned", reason }, 1);
  }
}
