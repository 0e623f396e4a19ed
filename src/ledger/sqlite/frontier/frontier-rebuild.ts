/**
 * A run that a limit ended has no frontier any more. When it goes on, what it bought counts as decided, what it only reserved waits, and
 * its sites are walked again, so that everything else is met and decided anew. A run with a list has its pages in the ledger: those that it
 * has not decided wait. A webhook run has neither: what it denied stays denied, until it is notified again. Called within a write.
 */
import { createWalkState } from "../../../catalog/walk-state.ts";
import { TAKEN_BACK_REASONS } from "../../../purchase/purchase.ts";
import type { KindOfRun } from "../../../run/kinds.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { quoteList } from "../runs/high-water.ts";

interface SiteRow {
  readonly siteId: number;
  readonly host: string;
  readonly maxPages: number | null;
  readonly fullWalkEveryMs: number | null;
  readonly overlapMs: number;
  /** Its walk was complete and left nothing over: its marks are those of this walk. */
  readonly isDone: number;
}

const COUNT = (kinds: string) =>
  `(SELECT coalesce(sum(count), 0) FROM tally t WHERE t.run_id = rs.run_id AND t.site_id = rs.site_id AND t.kind IN (${kinds}))`;

export function createFrontierRebuild(
  parts: LedgerCore & Pick<LedgerParts, "walks" | "highWater">,
): (run: { readonly id: number; readonly pagesFrom: KindOfRun["pagesFrom"] }, now: number) => void {
  const { db, counters, walks, highWater } = parts;
  const selectSites = db.prepare<[number], SiteRow>(
    `SELECT rs.site_id AS siteId, s.host, rs.max_pages AS maxPages, rs.full_walk_every_ms AS fullWalkEveryMs, rs.overlap_ms AS overlapMs,
       rs.walk_ended IS 'complete' AND rs.stop IS NULL
         AND ${COUNT("'pruned'")} = 0 AND ${COUNT("'seen'")} = ${COUNT("'unchanged', 'excluded', 'approved', 'denied'")} AS isDone
     FROM run_site rs JOIN site s ON s.id = rs.site_id WHERE rs.run_id = ?`,
  );
  const clear = [
    "DELETE FROM frontier WHERE run_id = ?",
    "DELETE FROM walk_token WHERE run_id = ?",
    "UPDATE run_site SET filling_batch_id = NULL, waiting_pages = 0 WHERE run_id = ?",
    "UPDATE run SET frontier_dropped = 0 WHERE id = ?",
  ].map((sql) => db.prepare<[number]>(sql));
  const forgetDenials = db.prepare<[number, number]>(
    "DELETE FROM denial WHERE run_id = ? AND page_id IN (SELECT id FROM page WHERE site_id = ?)",
  );
  const forget = [
    "DELETE FROM rejected_entry WHERE run_id = ? AND site_id = ?",
    "DELETE FROM tally WHERE run_id = ? AND site_id = ? AND kind IN ('denied', 'pruned', 'rejected')",
    "UPDATE run_site SET walk_warning = NULL WHERE run_id = ? AND site_id = ?",
  ].map((sql) => db.prepare<[number, number]>(sql));
  const forgetSeen = db.prepare<[number]>(
    "DELETE FROM tally WHERE run_id = ? AND kind IN ('seen', 'unchanged', 'excluded')",
  );
  // The newest purchase of a page says what became of it: SQLite takes the other columns from the row of the maximum.
  const insertBought = db.prepare<{ runRowId: number }>(
    `INSERT INTO frontier (run_id, page_id, state) SELECT @runRowId, page_id, iif(state = 'released' AND reason IN (${quoteList(TAKEN_BACK_REASONS)}), 'waiting', 'decided')
     FROM (SELECT page_id, max(id), state, reason FROM purchase
       WHERE id > (SELECT purchases_after FROM run WHERE id = @runRowId) AND run_id = @runRowId GROUP BY page_id)`,
  );
  const insertDenied = db.prepare<{ runRowId: number }>(
    "INSERT INTO frontier (run_id, page_id, state) SELECT run_id, page_id, 'decided' FROM denial WHERE run_id = @runRowId ON CONFLICT (run_id, page_id) DO UPDATE SET state = 'decided'",
  );
  const countSeen = db.prepare<[number], { siteId: number; pages: number }>(
    "SELECT p.site_id AS siteId, count(*) AS pages FROM frontier f JOIN page p ON p.id = f.page_id WHERE f.run_id = ? GROUP BY p.site_id",
  );

  // What the list said of them is kept, so nothing of it is read again.
  const insertListed = db.prepare<{ runRowId: number }>(
    `INSERT INTO frontier (run_id, page_id, state) SELECT run_id, page_id, met_as FROM listed_page WHERE run_id = @runRowId
     ON CONFLICT (run_id, page_id) DO NOTHING`,
  );
  const countMet = db.prepare<[number], { siteId: number; state: "unchanged" | "excluded"; pages: number }>(
    `SELECT p.site_id AS siteId, f.state, count(*) AS pages FROM frontier f JOIN page p ON p.id = f.page_id
     WHERE f.run_id = ? AND f.state IN ('unchanged', 'excluded') GROUP BY p.site_id, f.state`,
  );

  return ({ id: runRowId, pagesFrom }, now) => {
    const isWalked = pagesFrom === "catalogs";
    // What this transaction has counted so far is written first: some of it is cleared below.
    counters.flush();
    for (const { host, siteId, isDone, ...site } of pagesFrom === "notifications" ? [] : selectSites.all(runRowId)) {
      if (!isWalked || isDone === 0) {
        forgetDenials.run(runRowId, siteId);
        for (const statement of forget) {
          statement.run(runRowId, siteId);
        }
        if (isWalked) {
          walks.write(runRowId, siteId, createWalkState(highWater.stopBelow(siteId, { host, ...site }, now)), null);
        }
      }
    }
    for (const statement of clear) {
      statement.run(runRowId);
    }
    forgetSeen.run(runRowId);
    insertBought.run({ runRowId });
    insertDenied.run({ runRowId });
    if (pagesFrom === "list") {
      insertListed.run({ runRowId });
      for (const { siteId, state, pages } of countMet.all(runRowId)) {
        counters.add({ runRowId, siteId, kind: state }, pages);
      }
    }
    for (const { siteId, pages } of countSeen.all(runRowId)) {
      counters.add({ runRowId, siteId, kind: "seen" }, pages);
    }
  };
}
