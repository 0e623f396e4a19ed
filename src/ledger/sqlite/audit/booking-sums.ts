/** Promise 4, what is kept for statements: each sum says what the bookings that it is of say one by one. */
import { type Check, checksOf } from "./audited.ts";
import { PLAIN_COUNT } from "./plain-reports.ts";

const KEY = [
  ...[
    "day",
    "kind",
    "intent",
    "by_operator",
    "site_id",
    "run_id",
    "license_id",
    "policy_name",
    "rule_index",
    "rule_id",
  ],
  ...["currency", "charged_currency", "budget_month"],
].join(", ");

/** The bookings that the sums are of. */
const SUMMED = "(SELECT * FROM booking WHERE seq <= (SELECT max(until_seq) FROM booking_sum))";
const DAY = "CAST(strftime('%s', date(b.at / 1000, 'unixepoch')) AS INTEGER) / 86400";
const MONTH = (at: string) => `substr(date(${at} / 1000, 'unixepoch'), 1, 7)`;
const IS_CHARGE = "b.kind NOT IN ('doubt_opened', 'doubt_not_charged')";
const COLUMNS_OF_USE =
  "b.at, r.receipts_as_expected_at, u.kind, u.site_id, u.license_id, u.currency, u.charged_currency, u.budget_at, u.times, u.billed, u.unit_micros, u.charged_micros, u.purchase_id";
/** The uses of each report, by the index of its entries where they have rows. */
const REPORTED = `(
  SELECT ${COLUMNS_OF_USE} FROM ${SUMMED} b CROSS JOIN usage_batch r ON r.id = b.usage_batch_id AND r.first_use_id IS NULL
    CROSS JOIN use u ON u.entry_id >= r.first_entry_id AND u.entry_id <= r.last_entry_id
  UNION ALL
  SELECT ${COLUMNS_OF_USE} FROM ${SUMMED} b CROSS JOIN usage_batch r ON r.id = b.usage_batch_id AND r.first_use_id IS NOT NULL
    CROSS JOIN use u ON u.id >= r.first_use_id AND u.id < r.first_use_id + ${PLAIN_COUNT.replaceAll("b.", "r.")})`;

/** Row by row: a purchase, a use, a receipt, or what stands for one. */
const FACTS = `
  SELECT ${DAY} AS day, b.kind, p.intent,
    b.kind = 'doubt_charged' AND p.id IN (SELECT purchase_id FROM resolution WHERE outcome = 'charged' AND source = 'operator') AS by_operator,
    p.site_id, p.run_id, p.license_id, p.policy_name, p.rule_index, p.rule_id, p.currency, CASE WHEN ${IS_CHARGE} THEN p.charged_currency END AS charged_currency,
    ${MONTH("p.reserved_at")} AS budget_month, 1 AS count, p.quoted_micros + p.fee_micros + p.use_reserve_micros AS expected,
    CASE WHEN ${IS_CHARGE} THEN p.charged_micros END AS charged, CASE WHEN ${IS_CHARGE} THEN p.charged_fee_micros END AS fee
  FROM ${SUMMED} b JOIN purchase p ON p.id = b.purchase_id
  UNION ALL
  SELECT ${DAY}, b.kind, NULL, 0, b.site_id, p.run_id, b.license_id, p.policy_name, p.rule_index, p.rule_id, b.currency, b.charged_currency,
    ${MONTH("b.budget_at")}, b.times, CASE b.billed WHEN 1 THEN b.unit_micros * b.times END, b.charged_micros, 0
  FROM ${REPORTED} b LEFT JOIN purchase p ON p.id = b.purchase_id
  UNION ALL
  SELECT ${DAY}, 'receipt', NULL, 0, g.site_id, NULL, NULL, NULL, NULL, NULL, c.currency, NULL, NULL, 1, 0, c.total_micros, 0
  FROM ${SUMMED} b JOIN receipt c ON c.batch_id = b.usage_batch_id JOIN usage_entry e ON e.id = c.entry_id JOIN page g ON g.id = e.page_id
  UNION ALL
  SELECT ${DAY}, 'receipt', NULL, 0, b.site_id, NULL, NULL, NULL, NULL, NULL, b.currency, NULL, NULL, 1, 0, b.unit_micros * b.times, 0
  FROM ${REPORTED} b WHERE b.receipts_as_expected_at IS NOT NULL`;

/** A sum that is too large to count is the largest that can be counted. */
const capped = (amount: string) => `min(total(${amount}), ${Number.MAX_SAFE_INTEGER})`;
const both = (amount: string) => `${capped(`iif(is_kept, ${amount}, 0)`)} <> ${capped(`iif(is_kept, 0, ${amount})`)}`;

export const BOOKING_SUMS: readonly Check[] = checksOf(4, [
  `SELECT format('the kept sums of the day %s say of %s on %s %d, %d micros, its bookings say %d, %d micros', date(day * 86400, 'unixepoch'), kind,
     coalesce((SELECT host FROM site s WHERE s.id = site_id), site_id), total(iif(is_kept, count, 0)), total(iif(is_kept, charged, 0)),
     total(iif(is_kept, 0, count)), total(iif(is_kept, 0, charged)))
   FROM (SELECT 1 AS is_kept, ${KEY}, count, expected_micros AS expected, charged_micros AS charged, fee_micros AS fee FROM booking_sum
         UNION ALL SELECT 0, ${KEY}, count, expected, charged, fee FROM (${FACTS}))
   GROUP BY ${KEY} HAVING ${["count", "expected", "charged", "fee"].map(both).join(" OR ")}`,
  `SELECT format('kept sums go up to booking %d, and there are %d', max(until_seq), (SELECT count(*) FROM booking)) FROM booking_sum
   HAVING max(until_seq) > (SELECT count(*) FROM booking)`,
  "SELECT format('the kept sum %d goes back to booking %d', id, until_seq) FROM (SELECT id, until_seq, lag(until_seq) OVER (ORDER BY id) AS before FROM booking_sum) WHERE until_seq < before",
]);
