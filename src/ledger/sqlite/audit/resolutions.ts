/** Promise 3, the doubts: what is in doubt counts until a resolution, a row of its own, says what became of it. */
import { DOUBT_REASONS } from "../../../purchase/purchase.ts";
import { checksOf } from "./audited.ts";

const DOUBTS = DOUBT_REASONS.map((reason) => `'${reason}'`).join(", ");

/** What became of a purchase in doubt is said by its last resolution. */
const LAST_RESOLUTION = `
  (SELECT * FROM resolution r WHERE id = (SELECT max(id) FROM resolution WHERE purchase_id = r.purchase_id)) r
  JOIN purchase p ON p.id = r.purchase_id`;

const QUERIES = [
  "SELECT format('purchase %d was resolved as %s %d times', purchase_id, outcome, count(*)) FROM resolution WHERE purchase_id IS NOT NULL GROUP BY purchase_id, outcome HAVING count(*) > 1",
  `SELECT format('purchase %d was resolved as %s and is %s', p.id, r.outcome, p.state) FROM ${LAST_RESOLUTION}
   WHERE p.state <> CASE r.outcome WHEN 'charged' THEN 'settled' ELSE 'released' END`,
  `SELECT format('purchase %d was resolved at %d micros and charged %d', p.id, r.amount_micros, p.charged_micros + p.charged_fee_micros) FROM ${LAST_RESOLUTION}
   WHERE r.outcome = 'charged' AND p.state = 'settled' AND r.amount_micros <> p.charged_micros + p.charged_fee_micros`,
  "SELECT format('purchase %d was resolved as not charged, at %d micros', purchase_id, amount_micros) FROM resolution WHERE outcome = 'not_charged' AND amount_micros <> 0",
  `SELECT format('purchase %d was resolved in %s, and counts in another currency', p.id, coalesce(r.currency, 'none')) FROM resolution r JOIN purchase p ON p.id = r.purchase_id
   WHERE r.currency IS NOT CASE r.outcome WHEN 'charged' THEN p.charged_currency ELSE p.currency END`,
  // Both are written in one transaction, at one instant.
  `SELECT format('purchase %d was resolved at another instant than it ended', p.id) FROM ${LAST_RESOLUTION} WHERE r.at IS NOT p.ended_at`,
  `SELECT format('purchase %d was resolved by hand, and was never in doubt', p.id) FROM resolution r JOIN purchase p ON p.id = r.purchase_id
   WHERE r.source = 'operator' AND coalesce(p.reason, '') NOT IN (${DOUBTS}, CASE r.outcome WHEN 'not_charged' THEN 'resolved_not_charged' ELSE 'token_spent' END)`,
  "SELECT format('purchase %d was resolved by itself, and was to cost something or not in doubt', p.id) FROM resolution r JOIN purchase p ON p.id = r.purchase_id WHERE r.source = 'nothing_to_charge' AND (r.outcome <> 'not_charged' OR r.amount_micros <> 0 OR p.quoted_micros + p.fee_micros + p.use_reserve_micros > 0 OR p.started_at IS NULL)",
  "SELECT format('purchase %d was resolved by an answer that came late, and was never given up', p.id) FROM resolution r JOIN purchase p ON p.id = r.purchase_id WHERE r.source = 'late_answer' AND (p.reason IS NULL OR r.outcome <> 'charged')",
  "SELECT format('purchase %d was released as resolved, and no resolution says so', id) FROM purchase p WHERE reason = 'resolved_not_charged' AND NOT EXISTS (SELECT 1 FROM resolution r WHERE r.purchase_id = p.id AND r.outcome = 'not_charged')",
  "SELECT format('purchase %d is settled after it was given up (%s), and no resolution says so', id, reason) FROM purchase p WHERE state = 'settled' AND reason IS NOT NULL AND NOT EXISTS (SELECT 1 FROM resolution r WHERE r.purchase_id = p.id AND r.outcome = 'charged')",
];

/** What a person said of a report (promise 5) or an open item (promise 7). */
const OF_REPORTS = [
  "SELECT format('report %s was resolved as taken %d times', b.idempotency_id, count(*)) FROM resolution r JOIN usage_batch b ON b.id = r.usage_batch_id WHERE r.outcome = 'taken' GROUP BY b.id HAVING count(*) > 1",
  "SELECT format('report %s was resolved as taken, and is %s', b.idempotency_id, b.state) FROM resolution r JOIN usage_batch b ON b.id = r.usage_batch_id WHERE r.outcome = 'taken' AND b.state <> 'settled'",
  "SELECT format('report %s was resolved as taken at another instant than it was settled', b.idempotency_id) FROM resolution r JOIN usage_batch b ON b.id = r.usage_batch_id WHERE r.outcome = 'taken' AND r.at IS NOT b.closed_at",
  "SELECT format('report %s was resolved as taken, and receipts came for it', b.idempotency_id) FROM resolution r JOIN usage_batch b ON b.id = r.usage_batch_id WHERE r.outcome = 'taken' AND (b.receipts_as_expected_at IS NOT NULL OR EXISTS (SELECT 1 FROM receipt x WHERE x.batch_id = b.id))",
  `SELECT format('report %s was resolved %d times at one instant, and its open items were closed %d times', b.idempotency_id, r.count, coalesce(i.count, 0))
   FROM (SELECT usage_batch_id, at, count(*) AS count FROM resolution WHERE usage_batch_id IS NOT NULL GROUP BY 1, 2) r
   JOIN usage_batch b ON b.id = r.usage_batch_id
   LEFT JOIN (SELECT batch_id, closed_at, count(*) AS count FROM open_item WHERE kind = 'needs_reconcile' AND closed_at IS NOT NULL GROUP BY 1, 2) i
     ON i.batch_id = r.usage_batch_id AND i.closed_at = r.at
   WHERE r.count > coalesce(i.count, 0)`,
];

/** A page is kept off by the word of the person who resolved a purchase of it. */
const KEPT_OFF = [
  "SELECT format('page %s is kept off (%d), and no person resolved a purchase of it', url, keep_off) FROM page WHERE keep_off <> 0 AND (keep_off <> 1 OR id NOT IN (SELECT p.page_id FROM resolution r JOIN purchase p ON p.id = r.purchase_id WHERE r.source = 'operator'))",
  "SELECT format('page %s was denied as kept off, and is not', url) FROM page WHERE keep_off = 0 AND id IN (SELECT page_id FROM denial WHERE reason = 'kept_off')",
];

const OF_ITEMS = [
  "SELECT format('open item %d was closed %d times', open_item_id, count(*)) FROM resolution WHERE open_item_id IS NOT NULL GROUP BY open_item_id HAVING count(*) > 1",
  "SELECT format('open item %d was closed by hand, and its row says otherwise', i.id) FROM resolution r JOIN open_item i ON i.id = r.open_item_id WHERE r.at IS NOT i.closed_at",
  "SELECT format('resolution %d is about no money, and names some', id) FROM resolution WHERE purchase_id IS NULL AND (amount_micros <> 0 OR currency IS NOT NULL OR source <> 'operator')",
];

export const RESOLUTIONS = [
  ...checksOf(3, QUERIES),
  ...checksOf(5, OF_REPORTS),
  ...checksOf(7, [...OF_ITEMS, ...KEPT_OFF]),
];
