/**
 * A run that a limit ended has no frontier any more. When it goes on, what it bought counts as decided, what it only reserved waits, and
 * its sites are walked again, so that everything else is read and decided anew. A run with a list has its pages in the ledger: those that it
 * has not decided wait. A webhook run has neither: what it denied stays denied, until it is notified again. Called within a write.
 */

import { createWalkState } from "../../../catalog/walk-state.ts";
import { TAKEN_BACK_REASONS } from "../../../purchase/purchase.ts";
import type { KindOfRun } from "../../../run/kinds.ts";
import type { RunSiteSpec } from "../../run-ledger.ts";
import type { Tx } from "../operation.ts";
import { findStopBelow, quoteList } from "../runs/high-water.ts";
import { writeWalk } from "./walks.ts";

interface SiteRow extends RunSiteSpec {
  readonly siteId: number;
  /** Its walk was complete and left nothing over: its marks are those of this walk. */
  readonly isDone: number;
}

const COUNT = (kinds: string) =>
  `(SELECT coalesce(sum(count), 0) FROM tally t WHERE t.run_id = rs.run_id AND t.site_id = rs.site_id AND t.kind IN (${kinds}))`;

const SELECT_SITES = `SELECT rs.site_id AS siteId, s.host, rs.max_pages AS maxPages, rs.full_walk_every_ms AS fullWalkEveryMs, rs.overlap_ms AS overlapMs,
    rs.walk_ended IS 'complete' AND rs.stop IS NULL
      AND ${COUNT("'pruned'")} = 0 AND ${COUNT("'seen'")} = ${COUNT("'unchanged', 'excluded', 'approved', 'denied'")} AS isDone
  FROM run_site rs JOIN site s ON s.id = rs.site_id WHERE rs.run_id = ?`;

// The newest purchase of a page says what became of it: SQLite takes the other columns from the row of the maximum.
const INSERT_BOUGHT = `INSERT INTO frontier (run_id, page_id, state) SELECT @runRowId, page_id, iif(state = 'released' AND reason IN (${quoteList(TAKEN_BACK_REASONS)}), 'waiting', 'decided')
  FROM (SELECT page_id, max(id), state, reason FROM purchase
    WHERE id > (SELECT purchases_after FROM run WHERE id = @runRowId) AND run_id = @runRowId GROUP BY page_id)`;

// What the list said of them is kept, so nothing of it is read again.
const INSERT_LISTED = `INSERT INTO frontier (run_id, page_id, state) SELECT run_id, page_id, met_as FROM listed_page WHERE run_id = @runRowId
  ON CONFLICT (run_id, page_id) DO NOTHING`;

const COUNT_MET = `SELECT p.site_id AS siteId, f.state, count(*) AS pages FROM frontier f JOIN page p ON p.id = f.page_id
  WHERE f.run_id = ? AND f.state IN ('unchanged', 'excluded') GROUP BY p.site_id, f.state`;

/** Of a run. */
const CLEAR = [
  "DELETE FROM frontier WHERE run_id = ?",
  "DELETE FROM frontier_range WHERE run_id = ?",
  "DELETE FROM walk_token WHERE run_id = ?",
  "UPDATE run_site SET filling_batch_id = NULL, waiting_pages = 0 WHERE run_id = ?",
  "UPDATE run SET frontier_dropped = 0 WHERE id = ?",
];

/** Of a site of a run that is walked anew. */
const FORGET = [
  "DELETE FROM rejected_entry WHERE run_id = ? AND site_id = ?",
  "DELETE FROM tally WHERE run_id = ? AND site_id = ? AND kind IN ('denied', 'pruned', 'rejected')",
  "UPDATE run_site SET walk_warning = NULL WHERE run_id = ? AND site_id = ?",
];

/** Writes the frontier, the denials, the counts and the walks of a run as if it had seen only what it bought. */
export function rebuildFrontier(
  tx: Tx,
  { id: runRowId, pagesFrom }: { readonly id: number; readonly pagesFrom: KindOfRun["pagesFrom"] },
  now: number,
): void {
  const isWalked = pagesFrom === "catalogs";
  // What this transaction has counted so far is written first: some of it is cleared below.
  tx.counters.flush();
  for (const { host, siteId, isDone, ...site } of pagesFrom === "notifications"
    ? []
    : tx.all<SiteRow>(SELECT_SITES, runRowId)) {
    if (!isWalked || isDone === 0) {
      tx.run`DELETE FROM denial WHERE run_id = ${runRowId} AND page_id IN (SELECT id FROM page WHERE site_id = ${siteId})`;
      for (const sql of FORGET) {
        tx.run(sql, runRowId, siteId);
      }
      if (isWalked) {
        writeWalk(tx, runRowId, siteId, createWalkState(findStopBelow(tx, siteId, { host, ...site }, now)), null);
      }
    }
  }
  for (const sql of CLEAR) {
    tx.run(sql, runRowId);
  }
  tx.run`DELETE FROM tally WHERE run_id = ${runRowId} AND kind IN ('seen', 'unchanged', 'excluded')`;
  tx.run(INSERT_BOUGHT, { runRowId });
  tx.run`INSERT INTO frontier (run_id, page_id, state) SELECT run_id, page_id, 'decided' FROM denial WHERE run_id = ${runRowId}
    ON CONFLICT (run_id, page_id) DO UPDATE SET state = 'decided'`;
  if (pagesFrom === "list") {
    tx.run(INSERT_LISTED, { runRowId });
    for (const { siteId, state, pages } of tx.all<{ siteId: number; state: "unchanged" | "excluded"; pages: number }>(
      COUNT_MET,
      runRowId,
    )) {
      tx.counters.add({ runRowId, siteId, kind: state }, pages);
    }
  }
  for (const { siteId, pages } of tx.all<{
    siteId: number;
    pages: number;
  }>`SELECT p.site_id AS siteId, count(*) AS pages
      FROM frontier f JOIN page p ON p.id = f.page_id WHERE f.run_id = ${runRowId} GROUP BY p.site_id`) {
    tx.counters.add({ runRowId, siteId, kind: "seen" }, pages);
  }
}
