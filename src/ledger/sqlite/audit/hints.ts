/**
 * Promise 6, the hints: a notification that was received waits, is at work in a webhook run, or was decided. None is held by a run that is
 * over, because then nobody would decide it.
 */
import { checksOf } from "./audited.ts";

const HINT_ROWS = "hint h LEFT JOIN run r ON r.id = h.run_id";

export const HINTS = checksOf(6, [
  `SELECT format('hint %d has entered run %s, which is %s', h.id, coalesce(r.name, h.run_id), coalesce(r.state, 'not there')) FROM ${HINT_ROWS}
   WHERE h.state = 'entered' AND (r.state IS NULL OR r.state <> 'running' OR r.taken_over_by IS NOT NULL)`,
  `SELECT format('hint %d has entered run %s, which is not a webhook run of its site', h.id, r.name) FROM ${HINT_ROWS} JOIN site s ON s.id = h.site_id
   WHERE h.state IN ('entered', 'done') AND h.run_id IS NOT NULL
     AND (r.kind <> 'webhook' OR r.key NOT LIKE 'webhook:' || s.host || ':____-__-__' OR NOT EXISTS (SELECT 1 FROM run_site rs WHERE rs.run_id = r.id AND rs.site_id = h.site_id))`,
  `SELECT format('hint %d has entered run %s, and its page is not in the frontier', h.id, r.name) FROM ${HINT_ROWS} LEFT JOIN page g ON g.url = h.url
   WHERE h.state = 'entered' AND NOT EXISTS (SELECT 1 FROM frontier f WHERE f.run_id = h.run_id AND f.page_id = g.id)`,
  "SELECT format('hint %d waits, and names run %d', id, run_id) FROM hint WHERE state = 'waiting' AND run_id IS NOT NULL",
  "SELECT format('the page of hint %d changed before %d, and after %d', id, at, changed_after) FROM hint WHERE changed_after > at",
  "SELECT format('run %s has the key %s, and was not started by a webhook', name, key) FROM run WHERE (kind = 'webhook') <> (key IS NOT NULL) OR key IS NOT NULL AND (started_by <> 'webhook' OR key NOT LIKE 'webhook:_%:____-__-__')",
  "SELECT format('webhook run %s has a walk', r.name) FROM run r JOIN run_site rs ON rs.run_id = r.id WHERE r.kind = 'webhook' AND (rs.walk_ended IS NOT 'cut' OR rs.walk_pages_read > 0 OR rs.walk_warning IS NOT NULL)",
]);
