/** Promise 5, the terms: a use of content that was bought is booked under the license, price and budget periods that it was bought at. */
import { checksOf } from "./audited.ts";

const OF_PURCHASE = "use u JOIN purchase p ON p.id = u.purchase_id";

/** Two rows may say the same license: one that came back from the ledger's text can be spelt otherwise. */
const HAS_OTHER_LICENSE = `(u.license_id IS NOT p.license_id AND NOT EXISTS (
  SELECT 1 FROM license a JOIN license b ON b.id = p.license_id WHERE a.id = u.license_id
    AND a.license_type = b.license_type AND a.cuid IS b.cuid AND a.license_path IS b.license_path AND a.permissions = b.permissions))`;

export const USE_TERMS = checksOf(5, [
  `SELECT format('use %d is of a purchase of another page', u.id) FROM ${OF_PURCHASE} WHERE p.page_id <> u.page_id`,
  `SELECT format('use %d is of purchase %d, which is %s', u.id, p.id, p.state) FROM ${OF_PURCHASE} WHERE p.state <> 'settled'`,
  // What was recorded before it has a smaller id, whatever the clock said.
  "SELECT format('use %d is of a page that was bought before, by purchase %d, and names none', u.id, min(f.purchase_id)) FROM use u JOIN use f ON f.page_id = u.page_id AND f.kind = 'fetch' AND f.id < u.id WHERE u.purchase_id IS NULL GROUP BY u.id",
  `SELECT format('use %d is booked under another licence than purchase %d', u.id, p.id) FROM ${OF_PURCHASE} WHERE ${HAS_OTHER_LICENSE}`,
  // A fetch that is billed is expected to cost what was set aside for its report, else what was quoted.
  `SELECT format('use %d, the fetch of purchase %d, is booked at %d micros %s%s', u.id, p.id, u.unit_micros, u.currency, iif(u.billed, ', billed', '')) FROM ${OF_PURCHASE}
   WHERE u.kind = 'fetch' AND (u.currency IS NOT p.currency OR u.billed <> (p.use_reserve_micros > 0)
     OR u.unit_micros <> iif(p.use_reserve_micros > 0, p.use_reserve_micros, p.quoted_micros))`,
  `SELECT format('use %d of purchase %d is booked at %d micros %s, it was bought at %d %s', u.id, p.id, u.unit_micros, u.currency, p.charged_micros, p.charged_currency) FROM ${OF_PURCHASE}
   WHERE u.kind = 'use' AND (u.unit_micros IS NOT p.charged_micros OR u.currency IS NOT p.charged_currency)`,
  `SELECT format('use %d, the fetch of purchase %d, is booked for another run', u.id, p.id) FROM ${OF_PURCHASE} WHERE u.kind = 'fetch' AND u.run_id IS NOT p.run_id`,
  `SELECT format('use %d, the fetch of purchase %d, counts in other budget periods', u.id, p.id) FROM ${OF_PURCHASE} WHERE u.kind = 'fetch' AND u.budget_at <> p.reserved_at`,
  `SELECT format('use %d, the fetch of purchase %d, was recorded at another instant than its content came', u.id, p.id) FROM ${OF_PURCHASE}
   WHERE u.kind = 'fetch' AND (u.used_at <> u.recorded_at OR (u.recorded_at IS NOT p.ended_at AND NOT EXISTS (
     SELECT 1 FROM resolution r WHERE r.purchase_id = p.id AND r.outcome = 'charged' AND r.source IN ('operator', 'nothing_to_charge'))))`,
  "SELECT format('use %d counts in other budget periods than those it was recorded in', id) FROM use WHERE kind = 'use' AND budget_at <> recorded_at",
]);
