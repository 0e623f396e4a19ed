/** Promise 5, the uses: each is recorded once, and stands in one report at most, which says it as often as it was recorded. */
import { checksOf } from "./audited.ts";
import { PLAIN_USES } from "./plain-reports.ts";

const WITH_BATCH = "use u JOIN usage_entry e ON e.id = u.entry_id JOIN usage_batch b ON b.id = e.batch_id";
const HAS_HALVES = "EXISTS (SELECT 1 FROM usage_batch half WHERE half.parent_id = b.id)";

/** Refused alone, looked at, and its uses wait to be reported anew. */
const IS_SENT_AGAIN = `(b.state = 'rejected' AND NOT EXISTS (SELECT 1 FROM use x WHERE x.entry_id BETWEEN b.first_entry_id AND b.last_entry_id)
  AND EXISTS (SELECT 1 FROM open_item i WHERE i.batch_id = b.id AND i.kind = 'rejected_entry' AND i.closed_at IS NOT NULL))`;

export const REPORTED_ONCE = checksOf(5, [
  "SELECT format('the fetch of purchase %d is recorded %d times', purchase_id, count(*)) FROM use WHERE kind = 'fetch' GROUP BY purchase_id HAVING count(*) > 1",
  "SELECT format('the use %s is recorded %d times', key, count(*)) FROM use WHERE key IS NOT NULL GROUP BY key HAVING count(*) > 1",
  "SELECT format('use %d is %s and in no report', id, state) FROM use u WHERE state IN ('batched', 'settled', 'rejected') AND NOT EXISTS (SELECT 1 FROM usage_entry e JOIN usage_batch b ON b.id = e.batch_id WHERE e.id = u.entry_id)",
  `SELECT format('use %d is pending, and the outbox is looked for after use %d', u.id, f.uses_through) FROM flusher f JOIN use u ON u.state = 'pending' AND u.id <= f.uses_through AND u.id NOT IN (SELECT u.id FROM ${PLAIN_USES})`,
  "SELECT format('use %d is %s and already in a report', id, state) FROM use WHERE state IN ('pending', 'not_reported') AND entry_id IS NOT NULL",
  `SELECT format('use %d is %s, its report %s is %s', u.id, u.state, b.idempotency_id, b.state) FROM ${WITH_BATCH}
   WHERE b.state NOT IN (CASE u.state WHEN 'settled' THEN 'settled' WHEN 'rejected' THEN 'rejected' ELSE 'frozen' END,
                         CASE u.state WHEN 'batched' THEN 'needs_reconcile' ELSE '' END)`,
  `SELECT format('use %d stands in report %s, which was split', u.id, b.idempotency_id) FROM ${WITH_BATCH} WHERE ${HAS_HALVES}`,
  `SELECT format('use %d stands in report %s under other terms than its own', u.id, b.idempotency_id) FROM ${WITH_BATCH} LEFT JOIN license l ON l.id = u.license_id
   WHERE u.page_id <> e.page_id OR u.unit_micros <> e.unit_micros OR u.currency <> e.currency OR l.license_type IS NOT e.license_type OR l.cuid IS NOT e.license_cuid`,
  `SELECT format('report %s says %d uses of %s, %d are recorded', b.idempotency_id, e.times, e.wire_url, coalesce(sum(u.times), 0))
   FROM usage_entry e JOIN usage_batch b ON b.id = e.batch_id LEFT JOIN use u ON u.entry_id = e.id
   WHERE NOT ${HAS_HALVES} AND NOT ${IS_SENT_AGAIN} GROUP BY e.id HAVING e.times <> coalesce(sum(u.times), 0)`,
  `SELECT format('report %s was sent %d times, of which %d have an unknown outcome since %s', idempotency_id, attempts, unknown_attempts, coalesce(unknown_since, 'never')) FROM usage_batch
   WHERE unknown_attempts < 0 OR unknown_attempts > attempts OR (unknown_attempts = 0) <> (unknown_since IS NULL)`,
  // Once it may have been taken, nothing but receipts or a person's word settles it; what it holds never goes elsewhere.
  "SELECT format('report %s is %s, and it is not known whether the gateway took it', idempotency_id, state) FROM usage_batch WHERE state IN ('settled', 'rejected') AND unknown_attempts > 0",
  "SELECT format('report %s needs to be reconciled, and every answer to it is known', idempotency_id) FROM usage_batch WHERE state = 'needs_reconcile' AND unknown_attempts = 0",
  // It is not known since the first attempt where that is one of them; the clock may have been set back since then.
  "SELECT format('report %s has an unknown outcome since %d, and was first sent at %d', idempotency_id, unknown_since, first_attempt_at) FROM usage_batch WHERE unknown_attempts = attempts AND unknown_since > first_attempt_at",
  "SELECT format('report %s is a half of report %s, and was frozen at another instant than that was refused', h.idempotency_id, b.idempotency_id) FROM usage_batch h JOIN usage_batch b ON b.id = h.parent_id WHERE h.created_at IS NOT b.closed_at",
  // What a fetch is reported for is known when it is recorded; what is billed is reported.
  "SELECT format('use %d is %s, and is to be reported', id, state) FROM use WHERE state = 'not_reported' AND (kind = 'fetch' OR billed = 1)",
  // Its entries are found by their ids alone.
  `SELECT format('report %s has the entries %d to %d, and says %d to %d', b.idempotency_id, e.first_id, e.last_id, b.first_entry_id, b.last_entry_id) FROM usage_batch b
   LEFT JOIN (SELECT batch_id, min(id) AS first_id, max(id) AS last_id FROM usage_entry GROUP BY batch_id) e ON e.batch_id = b.id
   WHERE b.first_use_id IS NULL AND (b.first_entry_id IS NOT e.first_id OR b.last_entry_id IS NOT e.last_id)`,
  "SELECT format('entry %d of report %d lies between those of report %d', e.id, e.batch_id, b.id) FROM usage_batch b CROSS JOIN usage_entry e ON e.id BETWEEN b.first_entry_id AND b.last_entry_id WHERE e.batch_id <> b.id",
]);
