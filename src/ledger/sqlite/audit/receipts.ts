/**
 * Promise 5, the answers: what was booked is what the receipts say. What the gateway got wrong (a receipt that is missing, one too
 * many, one that does not add up) is not a breach of ours: it is an open item (open-items.ts). Where every receipt of a report says what its entry
 * says, there are no rows of them: the expected price counts, as where none came.
 */
import { toLooseUrl } from "../../../usage/reconcile.ts";
import { type Audited, checksOf } from "./audited.ts";

const SETTLED_ENTRIES =
  "usage_entry e JOIN usage_batch b ON b.id = e.batch_id AND b.state = 'settled' JOIN page g ON g.id = e.page_id";

/**
 * Whether the receipt `r` for the entry `e` counts: up to a thousand times of what was expected, or 1,000 units a use. Where it does
 * not, the expected price counts and the receipt is listed.
 */
export const IS_PLAUSIBLE =
  "(r.total_micros <= max(1000000000 * e.times, iif(r.currency = e.currency, 1000 * e.unit_micros * e.times, 0)))";

/** Where a receipt is missing or not plausible, the expected price counts. */
const BOOKED_AS_EXPECTED =
  "sum(u.charged_micros) = e.unit_micros * e.times AND min(u.charged_currency) = e.currency AND max(u.charged_currency) = e.currency";

export const RECEIPTS = checksOf(5, [
  `SELECT format('%d uses of %s have %d receipts (report %s)', e.times, g.url, count(*), b.idempotency_id) FROM ${SETTLED_ENTRIES} JOIN receipt r ON r.entry_id = e.id
   GROUP BY e.id HAVING count(*) > 1`,
  `SELECT format('the receipt for %s is for another licence than was reported (report %s)', g.url, b.idempotency_id) FROM ${SETTLED_ENTRIES} JOIN receipt r ON r.entry_id = e.id
   WHERE r.license_type <> e.license_type OR (r.license_cuid <> e.license_cuid AND r.license_cuid IS NOT NULL AND e.license_cuid IS NOT NULL)`,
  "SELECT format('report %s is %s and has receipts', b.idempotency_id, b.state) FROM usage_batch b WHERE b.state <> 'settled' AND EXISTS (SELECT 1 FROM receipt r WHERE r.batch_id = b.id)",
  "SELECT format('report %s has receipts that say what was expected and nothing else, and %d of its entries have one that says more', b.idempotency_id, count(*)) FROM receipt r JOIN usage_batch b ON b.id = r.batch_id WHERE b.receipts_as_expected_at IS NOT NULL AND r.entry_id IS NOT NULL GROUP BY b.id",
  "SELECT format('receipt %d is of another report than its entry', r.id) FROM receipt r JOIN usage_entry e ON e.id = r.entry_id WHERE e.batch_id <> r.batch_id",
  "SELECT format('the receipts of report %s came at another instant than it was settled', idempotency_id) FROM usage_batch WHERE receipts_as_expected_at IS NOT NULL AND receipts_as_expected_at IS NOT closed_at",
  "SELECT format('receipt %d came at another instant than its report was settled', r.id) FROM receipt r JOIN usage_batch b ON b.id = r.batch_id WHERE b.state = 'settled' AND r.at IS NOT b.closed_at",
  `SELECT format('%d uses of %s were booked at %d micros %s, the receipt says %d %s (report %s)', e.times, g.url, sum(u.charged_micros), max(u.charged_currency), coalesce(r.total_micros, e.unit_micros * e.times), coalesce(r.currency, e.currency), b.idempotency_id)
   FROM ${SETTLED_ENTRIES} JOIN use u ON u.entry_id = e.id LEFT JOIN receipt r ON r.entry_id = e.id
   GROUP BY e.id HAVING min(u.billed) = 1
     AND NOT CASE WHEN r.id IS NULL OR NOT ${IS_PLAUSIBLE} THEN ${BOOKED_AS_EXPECTED}
       ELSE sum(u.charged_micros) IS r.total_micros AND min(u.charged_currency) IS r.currency AND max(u.charged_currency) IS r.currency END`,
  // Each use bears its share to the micro: what comes to a run, a site or a day is in its own balance.
  `SELECT format('use %d was booked at %d micros, its %d uses of %d come to another share of %d', u.id, u.charged_micros, u.times, e.times, coalesce(r.total_micros, e.unit_micros * e.times))
   FROM ${SETTLED_ENTRIES} JOIN use u ON u.entry_id = e.id LEFT JOIN receipt r ON r.entry_id = e.id
   WHERE u.charged_micros IS NOT NULL AND abs(u.charged_micros - 1.0 * u.times / e.times *
     CASE WHEN r.id IS NULL OR NOT ${IS_PLAUSIBLE} THEN e.unit_micros * e.times ELSE r.total_micros END) > 1.5`,
  "SELECT format('use %d is billed, reported and has no charge', id) FROM use WHERE state = 'settled' AND billed = 1 AND (charged_micros IS NULL OR charged_currency IS NULL)",
  "SELECT format('use %d is not billed and has a charge', id) FROM use WHERE billed = 0 AND (charged_micros IS NOT NULL OR charged_currency IS NOT NULL)",
  "SELECT format('use %d is %s and has a charge', id, state) FROM use WHERE state <> 'settled' AND (charged_micros IS NOT NULL OR charged_currency IS NOT NULL)",
  findForeignReceipts,
]);

/** A gateway may spell an address its own way; most spell it as it was sent. */
function* findForeignReceipts({ db }: Audited): Iterable<string> {
  const rows = db.prepare<[], { readonly id: number; readonly url: string; readonly sent: string }>(
    "SELECT r.id, r.url, e.wire_url AS sent FROM receipt r JOIN usage_entry e ON e.id = r.entry_id WHERE r.url <> e.wire_url",
  );
  for (const { id, url, sent } of rows.iterate()) {
    if (toLooseUrl(url) !== toLooseUrl(sent)) {
      yield `receipt ${id} is for ${url}, and answers for ${sent}`;
    }
  }
}
