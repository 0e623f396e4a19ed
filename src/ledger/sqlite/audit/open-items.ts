/**
 * The list of what a person has to look at: what the gateway got wrong is on it, open or closed (promise 5 for reports, promise
 * 1 for charges above the token's cap, which also stop their site); and what is on it is so (promise 7). What an item is about
 * stands in its columns; its words are for people.
 */
import type { OpenItemKind } from "../../usage-ledger.ts";
import { checksOf } from "./audited.ts";
import { IS_PLAUSIBLE } from "./receipts.ts";

const ENTRIES = "usage_entry e JOIN usage_batch b ON b.id = e.batch_id AND b.state = 'settled'";
const HAS_HALVES = "EXISTS (SELECT 1 FROM usage_batch half WHERE half.parent_id = b.id)";
const HAS_USES = "EXISTS (SELECT 1 FROM use u WHERE u.entry_id BETWEEN b.first_entry_id AND b.last_entry_id)";

/** How many things of some kinds were ever listed about a report. */
function listed(...kinds: OpenItemKind[]): string {
  const names = kinds.map((kind) => `'${kind}'`).join(", ");
  return `(SELECT coalesce(sum(i.count), 0) FROM open_item i WHERE i.batch_id = b.id AND i.kind IN (${names}))`;
}

/** What is wrong with an entry of a settled report. */
const FLAWS = {
  // Where a person said that a report was taken, there are none.
  missing_receipt:
    "NOT EXISTS (SELECT 1 FROM receipt r WHERE r.entry_id = e.id) AND e.batch_id NOT IN (SELECT usage_batch_id FROM resolution WHERE outcome = 'taken') AND e.batch_id NOT IN (SELECT id FROM usage_batch WHERE receipts_as_expected_at IS NOT NULL)",
  wrong_total: `EXISTS (SELECT 1 FROM receipt r WHERE r.entry_id = e.id AND (r.per_unit_micros * e.times <> r.total_micros OR NOT ${IS_PLAUSIBLE}))`,
  wrong_currency: `EXISTS (SELECT 1 FROM receipt r WHERE r.entry_id = e.id AND r.currency <> e.currency AND ${IS_PLAUSIBLE})`,
  receipt_error: "EXISTS (SELECT 1 FROM receipt r WHERE r.entry_id = e.id AND r.error IS NOT NULL)",
  overcharged:
    "EXISTS (SELECT 1 FROM use u WHERE u.entry_id = e.id AND u.charged_currency = e.currency AND u.charged_micros > u.unit_micros * u.times)",
} as const;

function findUnlisted(kind: keyof typeof FLAWS, words: string, ...kinds: OpenItemKind[]): string {
  return `SELECT format('%d ${words} (report %s, %s and so on), %d are listed', count(*), b.idempotency_id, min(e.wire_url), ${listed(kind, ...kinds)})
    FROM ${ENTRIES} WHERE ${FLAWS[kind]} GROUP BY b.id HAVING count(*) > ${listed(kind, ...kinds)}`;
}

/** A plausible receipt that there was no room to count: billed, and yet the expected price was booked. It is listed as a total. */
const WAS_NOT_COUNTED = `EXISTS (SELECT 1 FROM receipt r WHERE r.entry_id = e.id AND (r.currency <> e.currency OR r.total_micros > e.unit_micros * e.times))
  AND EXISTS (SELECT 1 FROM use u WHERE u.entry_id = e.id AND u.billed = 1)
  AND NOT EXISTS (SELECT 1 FROM use u WHERE u.entry_id = e.id AND u.billed = 1 AND (u.charged_currency <> e.currency OR u.charged_micros > u.unit_micros * u.times))`;

function findUnfounded(kind: keyof typeof FLAWS): string {
  const flaw = kind === "wrong_total" ? `(${FLAWS[kind]} OR (${WAS_NOT_COUNTED}))` : FLAWS[kind];
  const so = `(SELECT count(*) FROM usage_batch b JOIN usage_entry e ON e.id BETWEEN b.first_entry_id AND b.last_entry_id WHERE b.id = i.batch_id AND ${flaw})`;
  return `SELECT format('open item %d (%s) stands for %d, of which %d are so', i.id, i.kind, i.count, ${so}) FROM open_item i
    WHERE i.kind = '${kind}' AND i.batch_id IS NOT NULL AND i.count > ${so}`;
}

const UNLISTED_REPORTS = [
  `SELECT format('report %s is rejected, holds its uses, and there was never an open item about it', b.idempotency_id) FROM usage_batch b
   WHERE b.state = 'rejected' AND NOT ${HAS_HALVES} AND ${listed("rejected_entry")} = 0`,
  `SELECT format('report %s needs to be reconciled, and there was never an open item about it', b.idempotency_id) FROM usage_batch b
   WHERE b.state = 'needs_reconcile' AND ${listed("needs_reconcile")} = 0`,
  findUnlisted("missing_receipt", "receipts are missing"),
  findUnlisted("receipt_error", "receipts have an error"),
  findUnlisted("wrong_total", "receipts do not add up or are not plausible"),
  // Where there is no more room to count it in, a receipt in another currency is listed as a total.
  findUnlisted("wrong_currency", "receipts are in another currency", "wrong_total"),
  findUnlisted("overcharged", "entries with uses that were charged more than was expected"),
  `SELECT format('%d receipts are too many (report %s, %s and so on), %d are listed', count(*), b.idempotency_id, min(r.url), ${listed("surplus_receipt")})
   FROM receipt r JOIN usage_batch b ON b.id = r.batch_id WHERE r.entry_id IS NULL GROUP BY b.id HAVING count(*) > ${listed("surplus_receipt")}`,
];

/** How a run calls a stop that lasts while an item of the site is open. */
const LASTING_STOPS = "'overcharged', 'charge_unreadable', 'license_mismatch'";

const UNLISTED_CHARGES = [
  `SELECT format('purchase %d was charged above its quote, and there was never an open item about it', p.id) FROM purchase p WHERE p.overcharged = 1
   AND NOT EXISTS (SELECT 1 FROM open_item i WHERE i.purchase_id = p.id AND i.kind = 'overcharged')`,
  `SELECT format('purchase %d was charged above its quote, and its site was not stopped', p.id) FROM purchase p JOIN run_site rs ON rs.run_id = p.run_id AND rs.site_id = p.site_id
   WHERE p.overcharged = 1 AND coalesce(rs.stop, '') NOT IN ('not_enabled', ${LASTING_STOPS}) AND EXISTS (SELECT 1 FROM open_item i WHERE i.purchase_id = p.id AND i.closed_at IS NULL)`,
  `SELECT format('run %s stopped %s (%s), and there was never an open item about it', r.name, s.host, rs.stop) FROM run_site rs JOIN run r ON r.id = rs.run_id JOIN site s ON s.id = rs.site_id
   WHERE rs.stop IN (${LASTING_STOPS}) AND (rs.site_id, rs.stop) NOT IN (
     SELECT i.site_id, CASE i.kind WHEN 'charge_differs' THEN 'overcharged' ELSE i.kind END FROM open_item i WHERE i.site_id IS NOT NULL)`,
  `SELECT format('open item %d stops %s, and run %s goes on with it', i.id, s.host, r.name) FROM open_item i JOIN site s ON s.id = i.site_id JOIN run_site rs ON rs.site_id = i.site_id JOIN run r ON r.id = rs.run_id
   WHERE i.closed_at IS NULL AND r.kind <> 'planning' AND r.state IN ('running', 'interrupted', 'failed') AND coalesce(rs.stop, '') NOT IN ('not_enabled', ${LASTING_STOPS})`,
  `SELECT format('purchase %d is reserved, and open item %d stops its site', p.id, i.id) FROM purchase p JOIN open_item i ON i.site_id = p.site_id AND i.closed_at IS NULL WHERE p.state = 'reserved'`,
];

const OF_NO_BALANCE = "coalesce(scope, period, currency) IS NULL";
const OF_BATCH = `batch_id IS NOT NULL AND coalesce(purchase_id, site_id) IS NULL AND ${OF_NO_BALANCE}`;
const OF_PURCHASE = `purchase_id IS NOT NULL AND coalesce(batch_id, entry_id) IS NULL AND ${OF_NO_BALANCE}`;
const OF_BALANCE =
  "scope IS NOT NULL AND period IS NOT NULL AND currency IS NOT NULL AND coalesce(batch_id, entry_id, purchase_id, site_id) IS NULL";

/** What an item of each kind is about. */
const IS_ABOUT_ITS_SUBJECT = `CASE
  WHEN kind = 'over_budget_use' THEN ${OF_BALANCE}
  WHEN kind = 'charge_differs' THEN ${OF_PURCHASE}
  WHEN kind IN ('charge_unreadable', 'license_mismatch') THEN ${OF_PURCHASE} AND site_id IS NOT NULL
  WHEN kind = 'overcharged' THEN (${OF_PURCHASE} AND site_id IS NOT NULL) OR (${OF_BATCH} AND entry_id IS NOT NULL)
  WHEN kind IN ('needs_reconcile', 'surplus_receipt') THEN ${OF_BATCH} AND entry_id IS NULL
  ELSE ${OF_BATCH} AND entry_id IS NOT NULL END`;

const IN_BATCH = "open_item i JOIN usage_batch b ON b.id = i.batch_id";

const UNFOUNDED = [
  `SELECT format('open item %d (%s) is not about what items of its kind are about', id, kind) FROM open_item WHERE NOT (${IS_ABOUT_ITS_SUBJECT})`,
  `SELECT format('open item %d says what item %d says', max(id), min(id)) FROM open_item WHERE closed_at IS NULL
   GROUP BY kind, batch_id, purchase_id, scope, period, currency HAVING count(*) > 1`,
  `SELECT format('open item %d says what item %d says, and both were closed', max(id), min(id)) FROM open_item WHERE batch_id IS NOT NULL AND closed_at IS NOT NULL
   GROUP BY kind, batch_id, at, closed_at HAVING count(*) > 1`,
  // An example with an entry is about the page of that entry.
  `SELECT format('open item %d is about %s, of which report %s says nothing', i.id, coalesce(i.url, 'no page'), b.idempotency_id) FROM ${IN_BATCH}
   WHERE i.entry_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM usage_entry e JOIN page g ON g.id = e.page_id WHERE e.id = i.entry_id AND e.batch_id = i.batch_id AND g.url = i.url)`,
  `SELECT format('open item %d is about %s, which purchase %d did not buy', i.id, coalesce(i.url, 'no page'), i.purchase_id) FROM open_item i
   WHERE i.purchase_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM purchase p JOIN page g ON g.id = p.page_id WHERE p.id = i.purchase_id AND g.url = i.url)`,
  `SELECT format('open item %d stops another site than that of purchase %d', i.id, i.purchase_id) FROM open_item i JOIN purchase p ON p.id = i.purchase_id
   WHERE i.site_id IS NOT NULL AND i.site_id <> p.site_id`,
  `SELECT format('open item %d says that a purchase was charged above its quote, and none was', i.id) FROM open_item i JOIN purchase p ON p.id = i.purchase_id
   WHERE i.kind = 'overcharged' AND p.overcharged = 0`,
  `SELECT format('open item %d (%s) is about purchase %d, which was not settled', i.id, i.kind, i.purchase_id) FROM open_item i
   WHERE i.purchase_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM purchase p WHERE p.id = i.purchase_id AND p.state = 'settled')`,
  `SELECT format('open item %d says that purchase %d was resolved at another amount, and no person resolved it', i.id, i.purchase_id) FROM open_item i
   WHERE i.kind = 'charge_differs' AND NOT EXISTS (SELECT 1 FROM resolution r WHERE r.purchase_id = i.purchase_id AND r.outcome = 'charged' AND r.source = 'operator')`,
  `SELECT format('purchase %d is listed %d times as %s', purchase_id, count(*), kind) FROM open_item WHERE purchase_id IS NOT NULL GROUP BY purchase_id, kind HAVING count(*) > 1`,
  `SELECT format('open item %d is about a balance that is not there (%s, %s, %s)', i.id, i.scope, i.period, i.currency) FROM open_item i
   WHERE i.scope IS NOT NULL AND NOT EXISTS (SELECT 1 FROM balance x WHERE x.scope = i.scope AND x.period = i.period AND x.currency = i.currency)`,
  "SELECT format('open item %d (%s) stands for %d, and is about one thing', id, kind, count) FROM open_item WHERE count <> 1 AND (kind IN ('rejected_entry', 'needs_reconcile') OR purchase_id IS NOT NULL)",
  `SELECT format('open item %d (%s) is about report %s, which is %s', i.id, i.kind, b.idempotency_id, b.state) FROM ${IN_BATCH}
   WHERE i.closed_at IS NULL AND NOT CASE i.kind WHEN 'rejected_entry' THEN b.state = 'rejected' AND ${HAS_USES}
     WHEN 'needs_reconcile' THEN b.state = 'needs_reconcile' OR (b.state = 'rejected' AND (${HAS_HALVES} OR NOT ${HAS_USES})) ELSE b.state = 'settled' END`,
  findUnfounded("missing_receipt"),
  findUnfounded("receipt_error"),
  findUnfounded("wrong_total"),
  findUnfounded("wrong_currency"),
  findUnfounded("overcharged"),
  `SELECT format('open item %d says that a receipt for %s is one too many, and there is none (report %s)', i.id, i.url, b.idempotency_id) FROM ${IN_BATCH}
   WHERE i.kind = 'surplus_receipt' AND i.url IS NOT NULL AND NOT EXISTS (SELECT 1 FROM receipt r WHERE r.batch_id = b.id AND r.entry_id IS NULL AND r.url = i.url)`,
  `SELECT format('open item %d names none of the receipts that are too many (report %s)', i.id, b.idempotency_id) FROM ${IN_BATCH}
   WHERE i.kind = 'surplus_receipt' AND i.url IS NULL AND EXISTS (SELECT 1 FROM receipt r WHERE r.batch_id = b.id AND r.entry_id IS NULL)`,
  "SELECT format('open item %d (%s) is about no page, and names %s', id, kind, url) FROM open_item WHERE kind IN ('over_budget_use', 'needs_reconcile') AND url IS NOT NULL",
  // Which uses passed a budget is the configuration's to say: not more than there are.
  `SELECT format('open item %d stands for %d uses in %s, of which %d were recorded', i.id, i.count, i.currency, coalesce(u.count, 0)) FROM open_item i
   LEFT JOIN (SELECT currency, count(*) AS count FROM use WHERE kind = 'use' AND billed = 1 AND unit_micros > 0 GROUP BY currency) u ON u.currency = i.currency
   WHERE i.kind = 'over_budget_use' AND i.count > coalesce(u.count, 0)`,
];

export const OPEN_ITEMS = [
  ...checksOf(5, UNLISTED_REPORTS),
  ...checksOf(1, UNLISTED_CHARGES),
  ...checksOf(7, UNFOUNDED),
];
