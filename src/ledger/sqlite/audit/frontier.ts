/**
 * Promise 6, the frontier: what a run has seen is all there as long as the run may go on; each page waits in a batch or has been
 * decided; and a walk that goes on knows where.
 */
import { createHash } from "node:crypto";
import { TAKEN_BACK_REASONS } from "../../../purchase/purchase.ts";
import { type Audited, checksOf } from "./audited.ts";

/** As much of a page token's sha256 as is kept. */
const TOKEN_HASH_BYTES = 16;

/** Runs `r` whose frontier is whole. */
export const GOES_ON =
  "r.kind <> 'planning' AND (r.state = 'running' OR (r.state IN ('interrupted', 'failed') AND r.taken_over_by IS NULL))";
const TAKEN_BACK = TAKEN_BACK_REASONS.map((reason) => `'${reason}'`).join(", ");

/** What waited in a batch that is gone was decided with it. */
export const STATE = "iif(f.batch_id IS NULL OR f.batch_id IN (SELECT id FROM batch), f.state, 'decided')";
/** The pages of all frontiers: those with a row, and those of ranges. */
export const MET = `(SELECT run_id, page_id, state, batch_id FROM frontier
  UNION ALL SELECT r.run_id, p.id, 'waiting', r.batch_id FROM frontier_range r JOIN page p ON p.id >= r.first_page_id AND p.id <= r.last_page_id)`;

const SEEN = `${MET} f JOIN run r ON r.id = f.run_id AND ${GOES_ON}`;
const SITES = `run_site rs JOIN run r ON r.id = rs.run_id AND ${GOES_ON} JOIN site s ON s.id = rs.site_id`;

export const FRONTIER = checksOf(6, [
  `SELECT format('page %d waits in batch %d of run %d, which does not name it', f.page_id, f.batch_id, f.run_id) FROM ${MET} f JOIN batch b ON b.id = f.batch_id
   WHERE f.page_id NOT IN (SELECT value FROM json_each(b.pages))`,
  `SELECT format('batch %d names page %s, which does not wait in it', b.id, n.value) FROM batch b JOIN json_each(b.pages) n LEFT JOIN ${MET} f ON f.run_id = b.run_id AND f.page_id = n.value
   WHERE f.batch_id IS NOT b.id`,
  `SELECT format('page %s of run %s waits in batch %d, which is none of its own', coalesce(g.url, f.page_id), r.name, f.batch_id) FROM ${SEEN} JOIN batch b ON b.id = f.batch_id LEFT JOIN page g ON g.id = f.page_id
   WHERE b.stage <> 'quote' OR b.run_id <> f.run_id OR b.site_id IS NOT g.site_id`,
  `SELECT format('%d pages of %s wait in no batch of run %s', count(*), s.host, r.name)
   FROM ${SEEN} JOIN page g ON g.id = f.page_id JOIN site s ON s.id = g.site_id JOIN run_site rs ON rs.run_id = f.run_id AND rs.site_id = g.site_id
   WHERE f.state = 'waiting' AND f.batch_id IS NULL AND rs.stop IS NULL GROUP BY f.run_id, g.site_id`,
  `SELECT format('page %s was decided in run %s, and neither bought nor denied', coalesce(g.url, f.page_id), r.name) FROM ${SEEN} LEFT JOIN page g ON g.id = f.page_id
   WHERE ${STATE} = 'decided' AND NOT EXISTS (SELECT 1 FROM denial d WHERE d.page_id = f.page_id AND d.run_id = f.run_id)
     AND NOT EXISTS (SELECT 1 FROM purchase p WHERE p.page_id = f.page_id AND p.run_id = f.run_id)`,
  `SELECT format('page %s of run %s is quoted, and no candidate', coalesce(g.url, f.page_id), r.name) FROM ${SEEN} LEFT JOIN page g ON g.id = f.page_id
   WHERE f.state = 'quoted' AND NOT EXISTS (SELECT 1 FROM candidate c WHERE c.run_id = f.run_id AND c.page_id = f.page_id AND c.site_id = g.site_id)`,
  // A page that is notified again while it is a candidate waits to be quoted again.
  `SELECT format('page %s is a candidate of run %s, which has not quoted it', c.url, r.name) FROM candidate c JOIN run r ON r.id = c.run_id AND ${GOES_ON} LEFT JOIN ${MET} f ON f.run_id = c.run_id AND f.page_id = c.page_id
   WHERE f.state IS NOT 'quoted' AND NOT (${STATE} IS 'waiting' AND r.kind = 'webhook')`,
  "SELECT format('candidate %s of run %d is page %s of site %d', c.url, c.run_id, coalesce(g.url, c.page_id), coalesce(g.site_id, 0)) FROM candidate c LEFT JOIN page g ON g.id = c.page_id WHERE c.url IS NOT g.url OR c.site_id IS NOT g.site_id",
  `SELECT format('candidate %s of run %d is to cost %d micros %s, for which nothing was offered', c.url, c.run_id, c.cost_micros, coalesce(c.currency, '')) FROM candidate c WHERE iif(c.listing_id IS NULL, c.cost_micros > 0,
     NOT EXISTS (SELECT 1 FROM listing t, json_each(t.json, '$.rates') o WHERE t.id = c.listing_id
       AND json_extract(o.value, '$.price.micros') <= c.cost_micros AND coalesce(c.currency, json_extract(o.value, '$.price.currency')) = json_extract(o.value, '$.price.currency')))`,
  "SELECT format('run %s has %d candidates, and works on none', r.name, count(*)) FROM candidate c JOIN run r ON r.id = c.run_id AND r.kind <> 'planning' AND r.state <> 'running' AND (r.frontier_dropped = 1 OR r.state IN ('interrupted', 'failed')) GROUP BY c.run_id",
  // What was released may wait again, and be quoted again. So may, in a webhook run, what was notified again.
  `SELECT format('purchase %d is of a page that its run %s has not decided', p.id, r.name) FROM purchase p JOIN run r ON r.id = p.run_id AND ${GOES_ON} LEFT JOIN ${MET} f ON f.run_id = p.run_id AND f.page_id = p.page_id
   WHERE ${STATE} IS NOT 'decided' AND NOT (${STATE} IN ('waiting', 'quoted') AND (r.kind = 'webhook' OR (p.state = 'released' AND p.reason IN (${TAKEN_BACK}))))`,
  `SELECT format('page %s was denied in run %s, which has not decided it', coalesce(g.url, d.page_id), r.name) FROM denial d JOIN run r ON r.id = d.run_id AND ${GOES_ON} LEFT JOIN ${MET} f ON f.run_id = d.run_id AND f.page_id = d.page_id
   LEFT JOIN page g ON g.id = d.page_id WHERE ${STATE} IS NOT 'decided'`,
  `SELECT format('run %s may go on, and its frontier was dropped', r.name) FROM run r WHERE ${GOES_ON} AND r.frontier_dropped = 1`,
  "SELECT format('page %d of run %d is in its frontier twice', f.page_id, f.run_id) FROM frontier f JOIN frontier_range r ON r.run_id = f.run_id AND f.page_id BETWEEN r.first_page_id AND r.last_page_id",
  `SELECT format('the frontier of run %d has page %d in two ranges', run_id, first_page_id) FROM (
     SELECT run_id, first_page_id, lag(last_page_id) OVER (PARTITION BY run_id ORDER BY first_page_id) AS before FROM frontier_range)
   WHERE first_page_id <= before`,
  "SELECT format('run %s has a frontier that will never be dropped', name) FROM run WHERE frontier_dropped NOT IN (0, 1)",
  "SELECT format('run %s has a frontier left after it was dropped', r.name) FROM run r WHERE r.frontier_dropped = 1 AND (EXISTS (SELECT 1 FROM frontier f WHERE f.run_id = r.id) OR EXISTS (SELECT 1 FROM frontier_range f WHERE f.run_id = r.id) OR EXISTS (SELECT 1 FROM walk_token t WHERE t.run_id = r.id))",
  `SELECT format('the walk of %s in run %s has read %d catalog pages, and remembers %d tokens', s.host, r.name, rs.walk_pages_read, count(t.token_hash)) FROM ${SITES}
   LEFT JOIN walk_token t ON t.run_id = rs.run_id AND t.site_id = rs.site_id WHERE rs.walk_ended IS NULL GROUP BY rs.run_id, rs.site_id HAVING count(t.token_hash) <> rs.walk_pages_read`,
  `SELECT format('the walk of %s in run %s has read %d catalog pages, and does not know where to go on', s.host, r.name, rs.walk_pages_read) FROM ${SITES}
   WHERE rs.walk_ended IS NULL AND (rs.walk_page_token IS NULL) <> (rs.walk_pages_read = 0)`,
  // Marks too high would hide pages from every walk until the next full one.
  "SELECT format('no walk of %s has seen its high-water mark', s.host) FROM site s WHERE s.high_water_at IS NOT NULL AND (s.id, s.high_water_at) NOT IN (SELECT site_id, walk_newest_at FROM run_site WHERE walk_ended = 'complete' AND walk_newest_at IS NOT NULL)",
  "SELECT format('no run began when %s is said to have been walked in full', s.host) FROM site s WHERE s.last_full_walk_at IS NOT NULL AND (s.id, s.last_full_walk_at) NOT IN (SELECT rs.site_id, r.started_at FROM run_site rs JOIN run r ON r.id = rs.run_id WHERE rs.walk_ended = 'complete')",
  findLostCursors,
]);

interface CursorRow {
  readonly runId: number;
  readonly siteId: number;
  readonly runName: string;
  readonly host: string;
  readonly token: string;
}

/** The token that a walk goes on with is one that the catalog gave it. */
function* findLostCursors({ db }: Audited): Iterable<string> {
  const cursors = db.prepare<[], CursorRow>(
    `SELECT rs.run_id AS runId, rs.site_id AS siteId, r.name AS runName, s.host, rs.walk_page_token AS token FROM ${SITES} WHERE rs.walk_page_token IS NOT NULL`,
  );
  const isKnown = db
    .prepare<[number, number, Buffer], number>(
      "SELECT 1 FROM walk_token WHERE run_id = ? AND site_id = ? AND token_hash = ?",
    )
    .pluck();
  for (const { runId, siteId, runName, host, token } of cursors.all()) {
    const hash = createHash("sha256").update(token).digest().subarray(0, TOKEN_HASH_BYTES);
    if (isKnown.get(runId, siteId, hash) === undefined) {
      yield `the walk of ${host} in run ${runName} goes on with a page token that its catalog never gave`;
    }
  }
}
