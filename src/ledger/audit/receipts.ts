/**
 * Promise 5, the answers: each reported entry has one receipt that adds up, and what was booked is what it says. A flaw
 * that somebody has looked at (its open item is closed) is not named again.
 */
import type { Violation } from "../ledger-reports.ts";
import type { Connection } from "../sqlite/connection.ts";
import { findBrokenRows } from "./broken-rows.ts";

const SETTLED_ENTRIES =
  "usage_entry e JOIN usage_batch b ON b.id = e.batch_id AND b.state = 'settled' JOIN page g ON g.id = e.page_id";

function isLookedAt(kind: string): string {
  return `EXISTS (SELECT 1 FROM open_item i WHERE i.batch_id = b.id AND i.kind = '${kind}' AND i.url IS g.url AND i.closed_at IS NOT NULL)`;
}

const QUERIES = [
  `SELECT format('no receipt came for %d uses of %s (report %s)', e.times, g.url, b.idempotency_id) FROM ${SETTLED_ENTRIES}
   WHERE NOT EXISTS (SELECT 1 FROM receipt r WHERE r.entry_id = e.id) AND NOT ${isLookedAt("missing_receipt")}`,
  `SELECT format('%d uses of %s have %d receipts (report %s)', e.times, g.url, count(*), b.idempotency_id) FROM ${SETTLED_ENTRIES} JOIN receipt r ON r.entry_id = e.id
   GROUP BY e.id HAVING count(*) > 1`,
  `SELECT format('the receipt for %s does not add up: %d micros × %d uses is not %d (report %s)', g.url, r.per_unit_micros, e.times, r.total_micros, b.idempotency_id)
   FROM ${SETTLED_ENTRIES} JOIN receipt r ON r.entry_id = e.id WHERE r.per_unit_micros * e.times <> r.total_micros AND NOT ${isLookedAt("wrong_total")}`,
  `SELECT format('the receipt for %s is in %s, its licence was priced in %s (report %s)', g.url, r.currency, e.currency, b.idempotency_id)
   FROM ${SETTLED_ENTRIES} JOIN receipt r ON r.entry_id = e.id WHERE r.currency <> e.currency AND NOT ${isLookedAt("wrong_currency")}`,
  `SELECT format('a receipt over %d micros %s came for nothing that was reported: %s (report %s)', r.total_micros, r.currency, r.url, b.idempotency_id)
   FROM receipt r JOIN usage_batch b ON b.id = r.batch_id
   WHERE r.entry_id IS NULL AND NOT EXISTS (SELECT 1 FROM open_item i WHERE i.batch_id = b.id AND i.kind = 'surplus_receipt' AND i.url IS r.url AND i.closed_at IS NOT NULL)`,
  "SELECT format('report %s is %s and has receipts', b.idempotency_id, b.state) FROM usage_batch b WHERE b.state <> 'settled' AND EXISTS (SELECT 1 FROM receipt r WHERE r.batch_id = b.id)",
  "SELECT format('receipt %d is of another report than its entry', r.id) FROM receipt r JOIN usage_entry e ON e.id = r.entry_id WHERE e.batch_id <> r.batch_id",
  // Where a receipt is missing or not believed, the expected price counts.
  `SELECT format('%d uses of %s were booked at %d micros, the receipt says %d (report %s)', e.times, g.url, sum(u.charged_micros), r.total_micros, b.idempotency_id)
   FROM ${SETTLED_ENTRIES} JOIN use u ON u.entry_id = e.id LEFT JOIN receipt r ON r.entry_id = e.id
   GROUP BY e.id HAVING min(u.billed) = 1 AND sum(u.charged_micros) IS NOT coalesce(r.total_micros, e.unit_micros * e.times)
     AND NOT (sum(u.charged_micros) = e.unit_micros * e.times AND EXISTS (SELECT 1 FROM open_item i WHERE i.batch_id = b.id AND i.kind = 'wrong_total' AND i.url IS g.url))`,
  "SELECT format('use %d is billed, reported and has no charge', id) FROM use WHERE state = 'settled' AND billed = 1 AND (charged_micros IS NULL OR charged_currency IS NULL)",
  "SELECT format('use %d is not billed and has a charge', id) FROM use WHERE billed = 0 AND charged_micros IS NOT NULL",
  "SELECT format('use %d is %s and has a charge', id, state) FROM use WHERE state <> 'settled' AND charged_micros IS NOT NULL",
];

export function auditReceipts(db: Connection): Violation[] {
  return findBrokenRows(db, 5, QUERIES);
}
