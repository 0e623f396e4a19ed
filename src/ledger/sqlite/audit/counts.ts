/**
 * Promise 0, the counts: what is kept for summaries and limits says how many rows there are. A row of a purchase or denial that is
 * gone, doubled, or moved to another run or site shows here.
 */
import { TAKEN_BACK_REASONS } from "../../../purchase/purchase.ts";
import { checksOf } from "./audited.ts";
import { MET } from "./frontier.ts";
import { PLAIN_STATE, PLAIN_USES } from "./plain-reports.ts";

/** Runs whose frontier is whole: it is dropped, piece by piece, when a run is over or a plan is discarded. */
export const HAS_FRONTIER =
  "kind <> 'planning' AND (state = 'running' OR (state IN ('interrupted', 'failed') AND taken_over_by IS NULL))";

const OF_FRONTIERS = `run_id IN (SELECT id FROM run WHERE ${HAS_FRONTIER})`;

/** Of purchases: what was only reserved and then taken back does not count, since its page may be decided again. */
const STANDS = `NOT (state = 'released' AND reason IN (${TAKEN_BACK_REASONS.map((reason) => `'${reason}'`).join(", ")}))`;

/** Those of a plain report have its state: what their rows say is taken away, and what the report says is added. */
const USES_AS_THEY_STAND = `(
  SELECT run_id, site_id, state, count(*) AS uses FROM use GROUP BY 1, 2, 3
  UNION ALL SELECT u.run_id, u.site_id, u.state, -count(*) FROM ${PLAIN_USES} GROUP BY 1, 2, 3
  UNION ALL SELECT u.run_id, u.site_id, ${PLAIN_STATE}, count(*) FROM ${PLAIN_USES} GROUP BY 1, 2, 3)`;

/** One row a run, site, kind and reason, as schema/counts.ts has them. */
const COUNTED = `
  SELECT run_id, site_id, 'approved' AS kind, '' AS reason, count(*) AS counted FROM purchase WHERE ${STANDS} GROUP BY 1, 2
  UNION ALL
  SELECT run_id, site_id, state, CASE state WHEN 'released' THEN coalesce(reason, '') ELSE '' END, count(*)
  FROM purchase WHERE state IN ('settled', 'released', 'in_doubt') GROUP BY 1, 2, 3, 4
  UNION ALL
  SELECT run_id, site_id, 'denied', reason, sum(counted) FROM (
    SELECT d.run_id, g.site_id, d.reason, count(*) AS counted FROM denial d JOIN page g ON g.id = d.page_id GROUP BY 1, 2, 3
    UNION ALL SELECT run_id, site_id, reason, count FROM tally WHERE kind = 'pruned')
  GROUP BY 1, 2, 4
  UNION ALL
  SELECT run_id, site_id, 'use_recorded', '', count(*) FROM use WHERE run_id IS NOT NULL GROUP BY 1, 2
  UNION ALL
  SELECT run_id, site_id, CASE state WHEN 'settled' THEN 'use_reported' ELSE 'use_rejected' END, '', sum(uses)
  FROM ${USES_AS_THEY_STAND} WHERE run_id IS NOT NULL AND state IN ('settled', 'rejected') GROUP BY 1, 2, 3
  UNION ALL
  SELECT f.run_id, g.site_id, 'seen', '', count(*) FROM ${MET} f JOIN page g ON g.id = f.page_id WHERE ${OF_FRONTIERS} GROUP BY 1, 2
  UNION ALL
  SELECT f.run_id, g.site_id, f.state, '', count(*) FROM frontier f JOIN page g ON g.id = f.page_id
  WHERE f.state IN ('unchanged', 'excluded') AND ${OF_FRONTIERS} GROUP BY 1, 2, 3`;

/**
 * Counts that only ever grow, although what they count may be undone or is kept as examples: never less than the rows. After an unused token,
 * the same quote has one more row.
 */
const AT_LEAST = `
  SELECT run_id, site_id, 'quoted' AS kind, '' AS reason, sum(counted) AS counted FROM (
    SELECT run_id, site_id, count(*) AS counted FROM purchase WHERE listing_id IS NOT NULL AND reason IS NOT 'token_unused' GROUP BY 1, 2
    UNION ALL
    SELECT d.run_id, g.site_id, count(*) FROM denial d JOIN page g ON g.id = d.page_id WHERE d.listing_id IS NOT NULL GROUP BY 1, 2)
  GROUP BY 1, 2
  UNION ALL
  SELECT run_id, site_id, 'rejected', '', count(*) FROM rejected_entry GROUP BY 1, 2`;

function compareCounts(counted: string, kinds: string, differs: string): string {
  return `
    SELECT format('run %s counts %d %s on %s, its rows are %d', coalesce(r.name, both.run_id), sum(kept),
                  trim(both.kind || ' ' || both.reason), coalesce(s.host, both.site_id), sum(counted))
    FROM (SELECT run_id, site_id, kind, reason, 0 AS kept, counted FROM (${counted})
          UNION ALL SELECT run_id, site_id, kind, reason, count, 0 FROM tally WHERE ${kinds}) both
    LEFT JOIN run r ON r.id = both.run_id LEFT JOIN site s ON s.id = both.site_id
    GROUP BY both.run_id, both.site_id, both.kind, both.reason HAVING sum(kept) ${differs} sum(counted)`;
}

/** Pages that a run made up its mind about. */
const DECIDED = `
  SELECT run_id, site_id, count(DISTINCT page_id) AS decided FROM (
    SELECT run_id, site_id, page_id FROM purchase UNION ALL SELECT d.run_id, g.site_id, d.page_id FROM denial d JOIN page g ON g.id = d.page_id)
  GROUP BY run_id, site_id`;

/** What was decided and has no row of its own any more: a denial that was pruned. */
const GONE = `SELECT run_id, site_id, sum(count) AS gone FROM tally WHERE kind = 'pruned' GROUP BY run_id, site_id`;

/** Content purchases of pages whose content was bought before: no more than these can have been counted as bought again. */
const BOUGHT_AGAIN = `
  SELECT p.run_id, p.site_id, count(*) AS counted FROM purchase p JOIN content c ON c.purchase_id = p.id
  WHERE p.intent = 'content' AND EXISTS (
    SELECT 1 FROM purchase e JOIN content h ON h.purchase_id = e.id WHERE e.page_id = p.page_id AND e.id < p.id AND e.intent = 'content')
  GROUP BY 1, 2`;

/** The currencies that a site's budgets are said to be used up in. */
const EXHAUSTED = `run_site rs JOIN run r ON r.id = rs.run_id JOIN site s ON s.id = rs.site_id
   JOIN json_each(iif(json_valid(rs.exhausted) AND json_type(rs.exhausted) = 'object', rs.exhausted, '{"": ""}')) e`;

/** The counts over the whole ledger (schema/counts.ts): one row each, whatever it counts. */
const COUNTERS = `
  SELECT format('the ledger counts %s %s, its rows are %d', coalesce(c.count, 'nothing for'), counted.name, counted.rows) FROM (
    SELECT s.name, coalesce(u.count, 0) AS rows
    FROM (SELECT column1 AS name FROM (VALUES ('use_pending'), ('use_batched'), ('use_settled'), ('use_rejected'), ('use_not_reported'))) s
    LEFT JOIN (SELECT 'use_' || state AS name, sum(uses) AS count FROM ${USES_AS_THEY_STAND} GROUP BY state) u ON u.name = s.name
    UNION ALL SELECT 'page_held', count(held_purchase_id) FROM page) counted
  LEFT JOIN counter c ON c.name = counted.name WHERE c.count IS NOT counted.rows`;

export const COUNTS = checksOf(0, [
  COUNTERS,
  "SELECT format('the ledger counts %d %s, which is nothing that it counts', count, name) FROM counter WHERE name NOT IN ('use_pending', 'use_batched', 'use_settled', 'use_rejected', 'use_not_reported', 'page_held')",
  compareCounts(
    COUNTED,
    `kind NOT IN ('quoted', 'rejected', 'pruned', 'repurchased', 'repurchased_equal', 'empty') AND (kind NOT IN ('seen', 'unchanged', 'excluded') OR ${OF_FRONTIERS})`,
    "<>",
  ),
  compareCounts(AT_LEAST, "kind IN ('quoted', 'rejected')", "<"),
  // Where nothing stopped a run, each page that it saw was known already, excluded, or decided.
  `SELECT format('run %s saw %d pages of %s, and accounts for %d', r.name, t.seen, s.host, t.passed + coalesce(d.decided, 0) + coalesce(o.gone, 0))
   FROM (SELECT run_id, site_id, sum(iif(kind = 'seen', count, 0)) AS seen, sum(iif(kind IN ('unchanged', 'excluded'), count, 0)) AS passed FROM tally GROUP BY run_id, site_id) t
   JOIN run r ON r.id = t.run_id JOIN run_site rs ON rs.run_id = t.run_id AND rs.site_id = t.site_id JOIN site s ON s.id = t.site_id
   LEFT JOIN (${DECIDED}) d ON d.run_id = t.run_id AND d.site_id = t.site_id
   LEFT JOIN (${GONE}) o ON o.run_id = t.run_id AND o.site_id = t.site_id
   WHERE r.kind <> 'planning' AND CASE WHEN r.state = 'completed' AND rs.stop IS NULL THEN t.seen <> t.passed + coalesce(d.decided, 0) + coalesce(o.gone, 0) ELSE t.seen < t.passed + coalesce(d.decided, 0) + coalesce(o.gone, 0) END`,
  `SELECT format('run %s counts %d approved against its maxPages, its purchases are %d', r.name, r.approved, coalesce(p.count, 0))
   FROM run r LEFT JOIN (SELECT run_id, count(*) AS count FROM purchase WHERE ${STANDS} GROUP BY run_id) p ON p.run_id = r.id WHERE r.approved <> coalesce(p.count, 0)`,
  `SELECT format('run %s counts %d approved against maxPages of %s, its purchases are %d', r.name, rs.approved, s.host, coalesce(p.count, 0))
   FROM run_site rs JOIN run r ON r.id = rs.run_id JOIN site s ON s.id = rs.site_id
   LEFT JOIN (SELECT run_id, site_id, count(*) AS count FROM purchase WHERE ${STANDS} GROUP BY run_id, site_id) p ON p.run_id = rs.run_id AND p.site_id = rs.site_id
   WHERE rs.approved <> coalesce(p.count, 0)`,
  `SELECT format('run %s counts %d pages of %s as bought again, its rows allow %d', r.name, t.count, s.host, coalesce(b.counted, 0))
   FROM tally t JOIN run r ON r.id = t.run_id JOIN site s ON s.id = t.site_id LEFT JOIN (${BOUGHT_AGAIN}) b ON b.run_id = t.run_id AND b.site_id = t.site_id
   WHERE t.kind = 'repurchased' AND t.count > coalesce(b.counted, 0)`,
  `SELECT format('run %d counts %d pages of site %d as bought again in vain, and %d as bought again', t.run_id, t.count, t.site_id, coalesce(a.count, 0))
   FROM tally t LEFT JOIN tally a ON a.run_id = t.run_id AND a.site_id = t.site_id AND a.kind = 'repurchased'
   WHERE t.kind = 'repurchased_equal' AND t.count > coalesce(a.count, 0)`,
  `SELECT format('run %s counts %d pages of %s without content, it settled %d', coalesce(r.name, t.run_id), t.count, coalesce(s.host, t.site_id), coalesce(k.count, 0))
   FROM tally t LEFT JOIN tally k ON k.run_id = t.run_id AND k.site_id = t.site_id AND k.kind = 'settled' LEFT JOIN run r ON r.id = t.run_id LEFT JOIN site s ON s.id = t.site_id
   WHERE t.kind = 'empty' AND t.count > coalesce(k.count, 0)`,
  "SELECT format('run %d counts %d %s for the reason %s', run_id, count, kind, reason) FROM tally WHERE reason <> '' AND kind NOT IN ('denied', 'pruned', 'released')",
  // A budget is found used up by a page that did not fit, on this site or on another one that it covers too.
  `SELECT format('%s in run %s is said to have used up "%s" in "%s", and no page was denied for it', s.host, r.name, e.value, e.key) FROM ${EXHAUSTED}
   WHERE e.value NOT LIKE 'budget % in ' || e.key OR NOT EXISTS (SELECT 1 FROM tally t WHERE t.run_id = rs.run_id AND t.kind = 'denied' AND t.reason = 'budget_exhausted' AND t.count > 0)
     OR (r.state IN ('running', 'interrupted', 'failed') AND r.frontier_dropped = 0 AND (rs.run_id, e.value) NOT IN (SELECT run_id, coalesce(detail, '') FROM denial WHERE reason = 'budget_exhausted'))`,
  "SELECT format('purchase %d is of run %s, which began after it', p.id, r.name) FROM purchase p JOIN run r ON r.id = p.run_id WHERE p.id <= r.purchases_after",
  "SELECT format('purchase %d is of run %s, which had ended before it', p.id, r.name) FROM purchase p JOIN run r ON r.id = p.run_id WHERE p.id > r.purchases_until",
  "SELECT format('run %s is running, and would buy nothing after purchase %d', name, purchases_until) FROM run WHERE state = 'running' AND purchases_until IS NOT NULL",
]);
