/**
 * Promise 5, the plain reports (usage/plain-reports.ts): such a report has no rows for its entries, and says which use is its first one. So the
 * uses from there on must be there, as many as it has entries, and be nothing but fetches that no other report has.
 */
import { checksOf } from "./audited.ts";

/** How many entries, and so uses, a plain report `b` has. */
export const PLAIN_COUNT = "(b.last_entry_id - b.first_entry_id + 1)";

/** The plain reports `b` with their uses `u`. */
export const PLAIN_USES = `usage_batch b CROSS JOIN use u ON u.id >= b.first_use_id AND u.id < b.first_use_id + ${PLAIN_COUNT}`;

/** How the uses of a plain report `b` stand, whose rows say `pending`. */
export const PLAIN_STATE = "iif(b.state = 'settled', 'settled', 'batched')";

/** Of the uses `u` of a plain report, those that are what they must be. */
const AS_NEEDED =
  "count(*) FILTER (WHERE u.kind = 'fetch' AND u.times = 1 AND u.billed = 0 AND u.state = 'pending' AND u.entry_id IS NULL AND u.purchase_id IS NOT NULL)";

export const PLAIN_REPORTS = checksOf(5, [
  `SELECT format('report %s has %d entries without rows, and %d fetches from use %d on are as it needs them', b.idempotency_id, ${PLAIN_COUNT}, ${AS_NEEDED}, b.first_use_id)
   FROM usage_batch b LEFT JOIN use u ON u.id >= b.first_use_id AND u.id < b.first_use_id + ${PLAIN_COUNT}
   WHERE b.first_use_id IS NOT NULL GROUP BY b.id HAVING ${AS_NEEDED} <> ${PLAIN_COUNT}`,
  `SELECT format('report %s begins with use %d, and the report before it goes up to use %d', idempotency_id, first_use_id, before) FROM (
     SELECT b.idempotency_id, b.first_use_id, lag(b.first_use_id + ${PLAIN_COUNT} - 1) OVER (ORDER BY b.first_use_id) AS before FROM usage_batch b WHERE b.first_use_id IS NOT NULL)
   WHERE first_use_id <= before`,
  `SELECT format('report %s begins with entry %d, and the report before it goes up to entry %d', idempotency_id, first_entry_id, before) FROM (
     SELECT idempotency_id, first_entry_id, lag(last_entry_id) OVER (ORDER BY id) AS before FROM usage_batch)
   WHERE first_entry_id <= before`,
  // What is more to be said of an entry than of the whole report would have no row to be about.
  "SELECT format('report %s is %s, and its entries have no rows', idempotency_id, state) FROM usage_batch WHERE first_use_id IS NOT NULL AND NOT (state IN ('frozen', 'needs_reconcile') OR (state = 'settled' AND receipts_as_expected_at IS NOT NULL))",
  "SELECT format('report %s is a half, and its entries have no rows', idempotency_id) FROM usage_batch WHERE first_use_id IS NOT NULL AND parent_id IS NOT NULL",
  "SELECT format('entry %d is of report %s, whose entries have no rows', e.id, b.idempotency_id) FROM usage_batch b JOIN usage_entry e ON e.id BETWEEN b.first_entry_id AND b.last_entry_id WHERE b.first_use_id IS NOT NULL",
]);
