/**
 * Kept sums of bookings (`booking_sum`): a statement reads them, and of the bookings behind them only the newest. Bookings are numbered and say the same for
 * ever, so a sum of a range of them is never made again. Whoever books adds up, in its transaction, a thousand at once: a page costs nothing more
 * than to be read once (docs/decisions/0140).
 */
import type { Reading, Statements } from "../engine/statements.ts";
import { IS_USE_OF_REPORT } from "../usage/report-ranges.ts";
import { SET_ASIDE_SQL } from "./set-aside-sql.ts";

const DAY_MS = 86_400_000;
const month = (at: string) => `strftime('%Y-%m', ${at} / 1000, 'unixepoch')`;
const sum = (amount: string) => `coalesce(sum(${amount}), 0)`;
/** A receipt may name any sum: one that is too large to count is the largest that can be counted. */
const countable = (amount: string) => `CAST(min(total(${amount}), ${Number.MAX_SAFE_INTEGER}) AS INTEGER)`;

/** What a sum is of. */
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
];
/** And what it says. */
const SUMS = ["count", "expected_micros", "charged_micros", "fee_micros"];
export const SUM_COLUMNS = [...KEY, ...SUMS].join(", ");

const GROUPED = `GROUP BY ${KEY.map((_, index) => index + 1).join(", ")}`;
const BOOKED = "b.seq > @after AND b.seq <= @until";
/** A doubt that is charged later keeps what it was: the charge stands with its own booking. */
const ofCharge = (column: string) => `iif(b.kind IN ('charged', 'doubt_charged', 'charged_late'), ${column}, NULL)`;
const IS_BY_OPERATOR = `b.kind = 'doubt_charged' AND EXISTS
  (SELECT 1 FROM resolution r WHERE r.purchase_id = p.id AND r.outcome = 'charged' AND r.source = 'operator')`;
const DAY = `b.at / ${DAY_MS} AS day`;

const OF_PURCHASES = `SELECT ${DAY}, b.kind, p.intent, ${IS_BY_OPERATOR} AS by_operator, p.site_id, p.run_id, p.license_id, p.policy_name,
    p.rule_index, p.rule_id, p.currency, ${ofCharge("p.charged_currency")} AS charged_currency, ${month("p.reserved_at")} AS budget_month,
    count(*) AS count, ${sum(SET_ASIDE_SQL)} AS expected_micros, ${sum(ofCharge("p.charged_micros"))} AS charged_micros,
    ${sum(ofCharge("p.charged_fee_micros"))} AS fee_micros
  FROM booking b CROSS JOIN purchase p ON p.id = b.purchase_id WHERE ${BOOKED} ${GROUPED}`;

/** A later use stands with the purchase whose content was used; one of a page that was only indexed has none. */
const OF_USES = `SELECT ${DAY}, u.kind, NULL, 0, u.site_id, p.run_id, u.license_id, p.policy_name, p.rule_index, p.rule_id, u.currency,
    u.charged_currency, ${month("u.budget_at")}, sum(u.times), ${sum("u.billed * u.unit_micros * u.times")}, ${sum("u.charged_micros")}, 0
  FROM booking b CROSS JOIN usage_batch r ON r.id = b.usage_batch_id CROSS JOIN use u ON ${IS_USE_OF_REPORT.replaceAll("b.", "r.")}
  LEFT JOIN purchase p ON p.id = u.purchase_id WHERE ${BOOKED} ${GROUPED}`;

const OF_RECEIPTS = `SELECT ${DAY}, 'receipt', NULL, 0, g.site_id, NULL, NULL, NULL, NULL, NULL, c.currency, NULL, NULL,
    count(*), 0, ${countable("c.total_micros")}, 0
  FROM booking b CROSS JOIN receipt c ON c.batch_id = b.usage_batch_id CROSS JOIN usage_entry e ON e.id = c.entry_id
  CROSS JOIN page g ON g.id = e.page_id WHERE ${BOOKED} ${GROUPED}`;

/** Where every receipt says what its entry says, receipts have no rows: an entry comes to what its uses were expected to. */
const OF_RECEIPTS_AS_EXPECTED = `SELECT ${DAY}, 'receipt', NULL, 0, u.site_id, NULL, NULL, NULL, NULL, NULL, u.currency, NULL, NULL,
    count(*), 0, ${countable("u.unit_micros * u.times")}, 0
  FROM booking b CROSS JOIN usage_batch r ON r.id = b.usage_batch_id AND r.receipts_as_expected_at IS NOT NULL
  CROSS JOIN use u ON ${IS_USE_OF_REPORT.replaceAll("b.", "r.")} WHERE ${BOOKED} ${GROUPED}`;

/** The columns `SUM_COLUMNS` of the bookings behind `@after`, up to `@until`. */
export const SUM_BOOKINGS = [OF_PURCHASES, OF_USES, OF_RECEIPTS, OF_RECEIPTS_AS_EXPECTED].join("\n  UNION ALL ");

const SELECT_SUMMED = "SELECT until_seq FROM booking_sum ORDER BY id DESC LIMIT 1";

/** The last booking that the kept sums have; 0: there are none. */
export function readSummed(tx: Reading): number {
  return tx.value<number>(SELECT_SUMMED) ?? 0;
}

// A report counts as many as it has entries.
const SELECT_NEXT = `SELECT b.seq, coalesce(r.last_entry_id - r.first_entry_id + 1, 1) AS facts
  FROM booking b LEFT JOIN usage_batch r ON r.id = b.usage_batch_id WHERE b.seq > ? ORDER BY b.seq LIMIT ?`;
const INSERT = `INSERT INTO booking_sum (until_seq, ${SUM_COLUMNS}) SELECT @until, ${SUM_COLUMNS} FROM (${SUM_BOOKINGS})`;

/**
 * Keeps the sums of the oldest bookings that have none, where they are of `least` purchases and uses together. Called before the first booking of an
 * operation: what is booked already, with its purchases and reports, is whole.
 * @returns whether it did: there may be more
 */
export function keepSums(tx: Statements, least: number): boolean {
  const after = readSummed(tx);
  let facts = 0;
  for (const next of tx.all<{ readonly seq: number; readonly facts: number }>(SELECT_NEXT, after, least)) {
    facts += next.facts;
    if (facts >= least) {
      tx.run(INSERT, { after, until: next.seq });
      return true;
    }
  }
  return false;
}
