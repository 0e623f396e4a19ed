/** Promise 3: one decision is charged once at most, and what is in doubt counts until it is resolved. */
import type { Violation } from "../ledger-reports.ts";
import type { Connection } from "../sqlite/connection.ts";
import { findBrokenRows } from "./broken-rows.ts";

/** What became of a purchase in doubt is said by its last resolution. */
const LAST_RESOLUTION = `
  SELECT purchase_id, outcome, amount_micros FROM resolution r
  WHERE id = (SELECT max(id) FROM resolution WHERE purchase_id = r.purchase_id)`;

const QUERIES = [
  "SELECT format('page %s is being bought %d times at once', g.url, count(*)) FROM purchase p JOIN page g ON g.id = p.page_id WHERE p.state IN ('reserved', 'started') GROUP BY p.page_id HAVING count(*) > 1",
  `SELECT format('purchases %d and %d are one decision, and both are %s', a.id, b.id, b.state) FROM purchase a JOIN purchase b ON b.page_id = a.page_id AND b.id > a.id AND b.run_id = a.run_id AND b.batch_id = a.batch_id
   WHERE a.state IN ('settled', 'in_doubt') AND b.state IN ('settled', 'in_doubt')`,
  // A purchase that was never in doubt holds its page alone from its reservation to its end.
  `SELECT format('purchases %d and %d of one page were both open at once, and both were charged', a.id, b.id) FROM purchase a JOIN purchase b ON b.page_id = a.page_id AND b.id > a.id
   WHERE a.state = 'settled' AND b.state = 'settled' AND b.reserved_at < a.ended_at AND a.reserved_at < b.ended_at
     AND NOT EXISTS (SELECT 1 FROM resolution r WHERE r.purchase_id IN (a.id, b.id))`,
  "SELECT format('purchase %d is started without its token', id) FROM purchase WHERE state = 'started' AND (token IS NULL OR token_expires_at IS NULL)",
  "SELECT format('purchase %d is %s and still has its token', id, state) FROM purchase WHERE state <> 'started' AND token IS NOT NULL",
  "SELECT format('purchase %d is settled without a charge', id) FROM purchase WHERE state = 'settled' AND (charged_micros IS NULL OR charged_fee_micros IS NULL OR (intent = 'content' AND charged_currency IS NULL))",
  "SELECT format('purchase %d is %s and has a charge', id, state) FROM purchase WHERE state <> 'settled' AND charged_micros IS NOT NULL",
  "SELECT format('purchase %d was charged %d micros above its quote of %d, and is not flagged', id, charged_micros - quoted_micros, quoted_micros) FROM purchase WHERE state = 'settled' AND charged_currency = currency AND charged_micros > quoted_micros AND overcharged = 0",
  "SELECT format('purchase %d was resolved as charged %d times', purchase_id, count(*)) FROM resolution WHERE outcome = 'charged' GROUP BY purchase_id HAVING count(*) > 1",
  `SELECT format('purchase %d was resolved as %s and is %s', p.id, r.outcome, p.state) FROM (${LAST_RESOLUTION}) r JOIN purchase p ON p.id = r.purchase_id
   WHERE p.state <> CASE r.outcome WHEN 'charged' THEN 'settled' ELSE 'released' END`,
  `SELECT format('purchase %d was resolved at %d micros and charged %d', p.id, r.amount_micros, p.charged_micros + p.charged_fee_micros) FROM (${LAST_RESOLUTION}) r JOIN purchase p ON p.id = r.purchase_id
   WHERE r.outcome = 'charged' AND p.state = 'settled' AND r.amount_micros <> p.charged_micros + p.charged_fee_micros`,
];

export function auditAtMostOneCharge(db: Connection): Violation[] {
  return findBrokenRows(db, 3, QUERIES);
}
