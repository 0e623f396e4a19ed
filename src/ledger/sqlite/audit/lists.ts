/**
 * Promises 2, 3 and 6, lists: a run buys what its list names and nothing else, so each line that was read is a page, a repetition, or a line that was
 * left out; the pages are those that the run has seen; and a run that goes on knows behind which line, and of which list.
 */
import { checksOf } from "./audited.ts";
import { GOES_ON } from "./frontier.ts";

/** As much as a sha256 has. */
const DIGEST_BYTES = 32;

const LIST_ROWS = "run_list l JOIN run r ON r.id = l.run_id";
const PAGES = "listed_page d JOIN run r ON r.id = d.run_id LEFT JOIN page g ON g.id = d.page_id";
const LISTED = "(SELECT run_id, count(*) AS pages, max(line) AS last FROM listed_page GROUP BY run_id)";
const LEFT_OUT = "(SELECT run_id, sum(count) AS lines FROM rejected_line_total GROUP BY run_id)";
const EXAMPLES = "(SELECT run_id, max(line) AS last FROM rejected_line GROUP BY run_id)";

const LINES = [
  ...["listed_page", "rejected_line", "rejected_line_total"].map(
    (table) =>
      `SELECT format('run %s has %d rows of ${table}, and no list', coalesce(r.name, d.run_id), count(*)) FROM ${table} d LEFT JOIN run r ON r.id = d.run_id
       WHERE d.run_id NOT IN (SELECT run_id FROM run_list) GROUP BY d.run_id`,
  ),
  `SELECT format('run %s has read %d lines of its list, and accounts for %d', r.name, l.lines_read, coalesce(p.pages, 0) + l.repeated + coalesce(o.lines, 0)) FROM ${LIST_ROWS}
   LEFT JOIN ${LISTED} p ON p.run_id = l.run_id LEFT JOIN ${LEFT_OUT} o ON o.run_id = l.run_id
   WHERE l.lines_read < coalesce(p.pages, 0) + l.repeated + coalesce(o.lines, 0)`,
  `SELECT format('run %s has read %d lines of its list, and knows what line %d says', r.name, l.lines_read, max(coalesce(p.last, 0), coalesce(e.last, 0))) FROM ${LIST_ROWS}
   LEFT JOIN ${LISTED} p ON p.run_id = l.run_id LEFT JOIN ${EXAMPLES} e ON e.run_id = l.run_id WHERE max(coalesce(p.last, 0), coalesce(e.last, 0)) > l.lines_read`,
  "SELECT format('run %d has a line of its list before the first one', run_id) FROM listed_page WHERE line < 1 UNION ALL SELECT format('run %d left out a line of its list before the first one', run_id) FROM rejected_line WHERE line < 1",
  "SELECT format('line %d of the list of run %d names a page, and names none', d.line, d.run_id) FROM rejected_line e JOIN listed_page d ON d.run_id = e.run_id AND d.line = e.line",
  `SELECT format('run %d left out %d lines of its list as %s, and shows %d', run_id, sum(counted), reason, sum(shown)) FROM (
     SELECT run_id, reason, count AS counted, 0 AS shown FROM rejected_line_total UNION ALL SELECT run_id, reason, 0, 1 FROM rejected_line)
   GROUP BY run_id, reason HAVING sum(shown) NOT BETWEEN 1 AND sum(counted)`,
  `SELECT format('run %s has read %d lines of its list, and could not tell it from another one', r.name, l.lines_read) FROM ${LIST_ROWS}
   WHERE length(l.digest) <> ${DIGEST_BYTES} OR (l.digest IS NULL AND (l.lines_read > 0 OR l.is_read = 1))`,
  `SELECT format('run %s is completed, and its list was not read to its end', r.name) FROM ${LIST_ROWS} WHERE r.state = 'completed' AND l.is_read = 0`,
];

const PLANS = [
  `SELECT format('the list of run %s is a %s, and %s when it was made', r.name, l.source, iif(l.planned_at IS NULL, 'does not say', 'says')) FROM ${LIST_ROWS} WHERE (l.source = 'plan') <> (l.planned_at IS NOT NULL)`,
  `SELECT format('the list of run %s is a %s, and has the digest of a plan', r.name, l.source) FROM ${LIST_ROWS} WHERE l.source <> 'plan' AND (l.plan_digest IS NOT NULL OR l.planned_after IS NOT NULL)`,
  `SELECT format('the plan of run %s has a digest of %d bytes', r.name, length(l.plan_digest)) FROM ${LIST_ROWS} WHERE length(l.plan_digest) <> ${DIGEST_BYTES}`,
  `SELECT format('the plan of run %s knew purchase %d, and the run began behind purchase %d', r.name, l.planned_after, r.purchases_after) FROM ${LIST_ROWS} WHERE l.planned_after > r.purchases_after`,
  `SELECT format('run %s fetches pages that were named now, from the file %s', r.name, l.path) FROM ${LIST_ROWS} WHERE l.source = 'fetch' AND l.path IS NOT NULL`,
  `SELECT format('page %s has half a licence in the list of run %s', coalesce(g.url, d.page_id), r.name) FROM ${PAGES} WHERE d.license_type IS NULL AND d.license_cuid IS NOT NULL`,
  `SELECT format('page %s has a price or a licence in the plan of run %s, and not both', coalesce(g.url, d.page_id), r.name) FROM ${PAGES} JOIN run_list l ON l.run_id = d.run_id AND l.source = 'plan'
   WHERE (d.max_price_micros IS NULL) <> (d.license_type IS NULL)`,
  `SELECT format('page %s was denied in run %s as %s, and its list does not say so', coalesce(g.url, e.page_id), r.name, e.reason) FROM denial e JOIN run r ON r.id = e.run_id
   LEFT JOIN page g ON g.id = e.page_id LEFT JOIN listed_page d ON d.run_id = e.run_id AND d.page_id = e.page_id
   WHERE (e.reason = 'max_price' AND d.max_price_micros IS NULL) OR (e.reason = 'not_planned' AND d.license_type IS NULL)`,
];

/** Bought in order, and not late after it had been given up: it was there when the plan's page was decided. */
const BOUGHT_SINCE = [
  `SELECT format('purchase %d bought page %s from the plan of run %s, and purchase %d had bought it since the plan was made', p.id, coalesce(g.url, p.page_id), r.name, e.id)
   FROM ${LIST_ROWS} AND l.source = 'plan' JOIN purchase p ON p.run_id = r.id AND p.id > r.purchases_after AND p.id <= coalesce(r.purchases_until, 9223372036854775807)
   JOIN purchase e ON e.page_id = p.page_id AND e.intent = p.intent AND e.id < p.id AND e.state = 'settled' AND e.reason IS NULL
     AND (e.id > l.planned_after OR EXISTS (SELECT 1 FROM run_list o WHERE o.run_id = e.run_id AND o.plan_digest = l.plan_digest))
   LEFT JOIN page g ON g.id = p.page_id WHERE p.state <> 'released'`,
];

/** What the run saw is what its list names, page by page as long as it has a frontier. */
const SEEN = [
  ...["seen", "unchanged", "excluded"].map(
    (kind) =>
      `SELECT format('run %s counts %d pages of %s as ${kind}, its list has %d', r.name, sum(kept), coalesce(s.host, both.site_id), sum(listed)) FROM (
         SELECT run_id, site_id, count AS kept, 0 AS listed FROM tally WHERE kind = '${kind}'
         UNION ALL SELECT d.run_id, g.site_id, 0, count(*) FROM listed_page d JOIN page g ON g.id = d.page_id ${kind === "seen" ? "" : `WHERE d.met_as = '${kind}'`} GROUP BY 1, 2) both
       JOIN run_list l ON l.run_id = both.run_id JOIN run r ON r.id = both.run_id AND r.kind <> 'planning' LEFT JOIN site s ON s.id = both.site_id
       GROUP BY both.run_id, both.site_id HAVING sum(kept) <> sum(listed)`,
  ),
  `SELECT format('page %s is in the list of run %s as %s, and is %s there', coalesce(g.url, d.page_id), r.name, d.met_as, coalesce(f.state, 'not')) FROM ${PAGES} JOIN run_list l ON l.run_id = d.run_id
   LEFT JOIN frontier f ON f.run_id = d.run_id AND f.page_id = d.page_id
   WHERE ${GOES_ON} AND iif(d.met_as = 'waiting', f.state IN ('waiting', 'quoted', 'decided'), f.state = d.met_as) IS NOT 1`,
];

export const LISTS = [...checksOf(2, [...LINES, ...PLANS]), ...checksOf(3, BOUGHT_SINCE), ...checksOf(6, SEEN)];
