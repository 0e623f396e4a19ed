/**
 * When an open item was opened and closed (promise 7). It is written in one transaction with what it is about, at one instant; and
 * it is closed by a person's word, or because what it says is settled. An item that is closed for no such reason was never looked at.
 */
import { checksOf } from "./audited.ts";

const IN_BATCH = "open_item i JOIN usage_batch b ON b.id = i.batch_id";
const HAS_USES = "EXISTS (SELECT 1 FROM use u WHERE u.entry_id BETWEEN b.first_entry_id AND b.last_entry_id)";

/** Its content came later than the word of a person (or than none was needed), which gave the purchase its end. */
const CAME_LATE =
  "EXISTS (SELECT 1 FROM resolution r WHERE r.purchase_id = p.id AND r.outcome = 'charged' AND r.source IN ('operator', 'nothing_to_charge'))";

const OPENED = [
  `SELECT format('open item %d (%s) was opened at another instant than report %s was settled', i.id, i.kind, b.idempotency_id) FROM ${IN_BATCH}
   WHERE i.kind NOT IN ('rejected_entry', 'needs_reconcile') AND i.at IS NOT b.closed_at`,
  // A report that was refused, or given up, may be settled after all: its item is closed then.
  `SELECT format('open item %d (%s) was opened at another instant than report %s was %s', i.id, i.kind, b.idempotency_id, b.state) FROM ${IN_BATCH}
   WHERE i.at IS NOT b.closed_at AND CASE i.kind WHEN 'rejected_entry' THEN b.state = 'rejected'
     WHEN 'needs_reconcile' THEN b.state = 'needs_reconcile' AND i.closed_at IS NULL END`,
  `SELECT format('open item %d (%s) was opened at another instant than purchase %d was settled', i.id, i.kind, p.id) FROM open_item i JOIN purchase p ON p.id = i.purchase_id
   WHERE i.at IS NOT p.ended_at AND NOT ${CAME_LATE}`,
  `SELECT format('open item %d (%s) was opened at another instant than the content of purchase %d came', i.id, i.kind, p.id) FROM open_item i JOIN purchase p ON p.id = i.purchase_id
   WHERE p.reports_fetch = 1 AND (i.purchase_id, i.at) NOT IN (SELECT purchase_id, recorded_at FROM use WHERE kind = 'fetch')`,
  `SELECT format('open item %d says that uses passed a budget in %s, and none was recorded then', i.id, i.currency) FROM open_item i
   WHERE i.kind = 'over_budget_use' AND (i.currency, i.at) NOT IN (SELECT currency, recorded_at FROM use WHERE kind = 'use' AND billed = 1)`,
];

const OF_ITEMS = "SELECT open_item_id FROM resolution WHERE open_item_id IS NOT NULL";
const OF_REPORTS = "SELECT usage_batch_id, at FROM resolution WHERE usage_batch_id IS NOT NULL";
const SETTLED_THEN = "(b.state = 'settled' AND b.closed_at IS i.closed_at)";

const CLOSED = [
  `SELECT format('open item %d (%s) was closed, and nobody closed it', i.id, i.kind) FROM open_item i LEFT JOIN usage_batch b ON b.id = i.batch_id
   WHERE i.closed_at IS NOT NULL AND i.id NOT IN (${OF_ITEMS}) AND NOT coalesce(CASE i.kind
     WHEN 'needs_reconcile' THEN ${SETTLED_THEN} OR (i.batch_id, i.closed_at) IN (${OF_REPORTS})
     WHEN 'rejected_entry' THEN ${SETTLED_THEN} OR (b.state = 'rejected' AND NOT ${HAS_USES}) END, 0)`,
];

export const OPEN_ITEM_DATES = checksOf(7, [...OPENED, ...CLOSED]);
