/**
 * The list of what a person has to look at: what the gateway got wrong is on it, open or closed (promise 5 for reports, promise
 * 1 for charges above the token's cap, which also stop their site); and what is on it is so (promise 7).
 */
import type { Violation } from "../ledger-reports.ts";
import type { Connection } from "../sqlite/connection.ts";
import { findBrokenRows } from "./broken-rows.ts";

/** No index leads from a batch to its items: each list is read once. */
function listedBatches(kind: string): string {
  return `(SELECT batch_id FROM open_item WHERE kind = '${kind}' AND batch_id IS NOT NULL)`;
}

function listedPages(kind: string): string {
  return `(SELECT batch_id, url FROM open_item WHERE kind = '${kind}' AND batch_id IS NOT NULL AND url IS NOT NULL)`;
}

const ENTRIES =
  "usage_entry e JOIN usage_batch b ON b.id = e.batch_id AND b.state = 'settled' JOIN page g ON g.id = e.page_id";
const HAS_HALVES = "EXISTS (SELECT 1 FROM usage_batch half WHERE half.parent_id = b.id)";

/** Purchase by purchase, from the words of the items; what cannot be read so is nobody's. */
const OVERCHARGES =
  "SELECT CAST(substr(detail, 10) AS INTEGER) AS id, url FROM open_item WHERE kind = 'overcharged' AND detail LIKE 'purchase %:%'";

const UNLISTED_REPORTS = [
  `SELECT format('report %s is rejected, holds its uses, and no open item ever said so', b.idempotency_id) FROM usage_batch b
   WHERE b.state = 'rejected' AND NOT ${HAS_HALVES} AND b.id NOT IN ${listedBatches("rejected_entry")}`,
  `SELECT format('report %s needs to be reconciled, and no open item ever said so', b.idempotency_id) FROM usage_batch b WHERE b.state = 'needs_reconcile' AND b.id NOT IN ${listedBatches("needs_reconcile")}`,
  `SELECT format('no open item ever said that the receipt for %s is missing (report %s)', g.url, b.idempotency_id) FROM ${ENTRIES}
   WHERE NOT EXISTS (SELECT 1 FROM receipt r WHERE r.entry_id = e.id) AND (b.id, g.url) NOT IN ${listedPages("missing_receipt")}`,
  `SELECT format('no open item ever said that the receipt for %s does not add up (report %s)', g.url, b.idempotency_id) FROM ${ENTRIES} JOIN receipt r ON r.entry_id = e.id
   WHERE r.per_unit_micros * e.times <> r.total_micros AND (b.id, g.url) NOT IN ${listedPages("wrong_total")}`,
  `SELECT format('no open item ever said that the receipt for %s is in %s (report %s)', g.url, r.currency, b.idempotency_id) FROM ${ENTRIES} JOIN receipt r ON r.entry_id = e.id
   WHERE r.currency <> e.currency AND (b.id, g.url) NOT IN ${listedPages("wrong_currency")} AND (b.id, g.url) NOT IN ${listedPages("wrong_total")}`,
  `SELECT format('no open item ever said that a receipt for %s is one too many (report %s)', r.url, b.idempotency_id) FROM receipt r JOIN usage_batch b ON b.id = r.batch_id
   WHERE r.entry_id IS NULL AND (b.id, r.url) NOT IN ${listedPages("surplus_receipt")}`,
];

const UNLISTED_CHARGES = [
  `SELECT format('purchase %d was charged above its quote, and no open item ever said so', p.id) FROM purchase p JOIN page g ON g.id = p.page_id WHERE p.overcharged = 1 AND (p.id, g.url) NOT IN (${OVERCHARGES})`,
  `SELECT format('purchase %d was charged above its quote, and its site was not stopped', p.id) FROM purchase p JOIN run_site rs ON rs.run_id = p.run_id AND rs.site_id = p.site_id
   WHERE p.overcharged = 1 AND rs.stop IS NULL`,
];

const UNFOUNDED = [
  "SELECT format('open item %d says what item %d says', max(id), min(id)) FROM open_item WHERE closed_at IS NULL AND kind <> 'overcharged' GROUP BY kind, detail, url, batch_id HAVING count(*) > 1",
  `SELECT format('open item %d says that a purchase was charged above its quote, and none was', i.id) FROM open_item i
   WHERE i.kind = 'overcharged' AND i.batch_id IS NULL AND NOT EXISTS (SELECT 1 FROM purchase p JOIN page g ON g.id = p.page_id WHERE p.overcharged = 1 AND p.id = CAST(substr(i.detail, 10) AS INTEGER) AND g.url = i.url)`,
  `SELECT format('purchase %d is listed %d times as charged above its quote', id, count(*)) FROM (${OVERCHARGES}) GROUP BY id HAVING count(*) > 1`,
  `SELECT format('open item %d is about %s, of which report %s says nothing', i.id, i.url, b.idempotency_id) FROM open_item i JOIN usage_batch b ON b.id = i.batch_id
   WHERE i.kind <> 'surplus_receipt' AND i.url IS NOT NULL AND NOT EXISTS (SELECT 1 FROM usage_entry e JOIN page g ON g.id = e.page_id WHERE e.batch_id = i.batch_id AND g.url = i.url)`,
  "SELECT format('open item %d is about no report', id) FROM open_item WHERE batch_id IS NULL AND kind NOT IN ('overcharged', 'over_budget_use')",
  "SELECT format('open item %d is about no page', id) FROM open_item WHERE url IS NULL AND (kind IN ('missing_receipt', 'wrong_total', 'wrong_currency', 'rejected_entry', 'overcharged'))",
  `SELECT format('open item %d (%s) is about report %s, which is %s', i.id, i.kind, b.idempotency_id, b.state) FROM open_item i JOIN usage_batch b ON b.id = i.batch_id
   WHERE i.closed_at IS NULL AND NOT CASE i.kind WHEN 'rejected_entry' THEN b.state = 'rejected'
     WHEN 'needs_reconcile' THEN b.state = 'needs_reconcile' OR (b.state = 'rejected' AND ${HAS_HALVES}) ELSE b.state = 'settled' END`,
  `SELECT format('open item %d says that a receipt for %s is missing, and it is there (report %s)', i.id, i.url, b.idempotency_id) FROM open_item i JOIN usage_batch b ON b.id = i.batch_id
   WHERE i.kind = 'missing_receipt' AND NOT EXISTS (SELECT 1 FROM usage_entry e JOIN page g ON g.id = e.page_id
     WHERE e.batch_id = b.id AND g.url = i.url AND NOT EXISTS (SELECT 1 FROM receipt r WHERE r.entry_id = e.id))`,
  `SELECT format('open item %d says that a receipt for %s is one too many, and there is none (report %s)', i.id, i.url, b.idempotency_id) FROM open_item i JOIN usage_batch b ON b.id = i.batch_id
   WHERE i.kind = 'surplus_receipt' AND i.url IS NOT NULL AND NOT EXISTS (SELECT 1 FROM receipt r WHERE r.batch_id = b.id AND r.entry_id IS NULL AND r.url = i.url)`,
];

export function auditOpenItems(db: Connection): Violation[] {
  return [
    ...findBrokenRows(db, 5, UNLISTED_REPORTS),
    ...findBrokenRows(db, 1, UNLISTED_CHARGES),
    ...findBrokenRows(db, 7, UNFOUNDED),
  ];
}
