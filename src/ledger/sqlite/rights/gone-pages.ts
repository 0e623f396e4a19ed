/**
 * Stored pages that their catalog does not have any more: a full walk that was complete did not see them. A walk that sees one again says
 * so itself (frontier/catalog-pages.ts).
 */
import { IS_IN_RANGE } from "../frontier/frontier-ranges.ts";
import type { LedgerCore } from "../ledger-core.ts";

/** Pages looked at in one transaction. */
const CHUNK_ROWS = 5_000;

interface WalkedSite {
  readonly siteId: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

interface WalkedPage {
  readonly pageId: number;
  readonly storedAt: number;
  readonly isGone: number;
}

// What was stored during the run may be newer than the walk.
const SELECT_STORED = `SELECT p.id AS pageId, p.held_at AS storedAt, p.gone_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM frontier f WHERE f.run_id = @runRowId AND f.page_id = p.id) AND NOT ${IS_IN_RANGE} AS isGone
  FROM page p WHERE p.site_id = @siteId AND p.held_at IS NOT NULL AND p.held_at < @startedAt AND (p.held_at, p.id) > (@at, @id)
  ORDER BY p.held_at, p.id LIMIT ${CHUNK_ROWS}`;

/**
 * Reads: run, run_site, tally, frontier, page. Writes: page. Called before the frontier of a run is dropped, which is what the walk saw. Of
 * a frontier that is dropped in part nothing can be said. A walk that ended early, or ended at its mark, has not seen everything.
 */
export async function markGone(core: LedgerCore, runRowId: number): Promise<void> {
  const walked = await core.read(
    (tx) => tx.all<WalkedSite>`
      SELECT rs.site_id AS siteId, r.started_at AS startedAt, coalesce(r.ended_at, r.started_at) AS endedAt
      FROM run r JOIN run_site rs ON rs.run_id = r.id
      WHERE r.id = ${runRowId} AND r.kind <> 'planning' AND r.frontier_dropped = 0
        AND rs.walk_ended = 'complete' AND rs.walk_stop_below_at IS NULL AND rs.stop IS NULL
        AND (SELECT count(*) FROM frontier f WHERE f.run_id = r.id)
          + (SELECT coalesce(sum(g.last_page_id - g.first_page_id + 1), 0) FROM frontier_range g WHERE g.run_id = r.id)
          = (SELECT coalesce(sum(t.count), 0) FROM tally t WHERE t.run_id = r.id AND t.kind = 'seen')`,
  );
  for (const { siteId, startedAt, endedAt } of walked) {
    let from = { at: Number.MIN_SAFE_INTEGER, id: 0 };
    for (let isMore = true; isMore; ) {
      const { at, id } = from;
      const pages = await core.read((tx) => tx.all<WalkedPage>(SELECT_STORED, { siteId, startedAt, at, id, runRowId }));
      const gone = pages.filter(({ isGone }) => isGone === 1);
      if (gone.length > 0) {
        await core.write((tx) => {
          for (const { pageId } of gone) {
            tx.run`UPDATE page SET gone_at = ${endedAt} WHERE id = ${pageId}`;
          }
        });
      }
      const last = pages.at(-1);
      isMore = last !== undefined && pages.length === CHUNK_ROWS;
      from = last === undefined ? from : { at: last.storedAt, id: last.pageId };
    }
  }
}
