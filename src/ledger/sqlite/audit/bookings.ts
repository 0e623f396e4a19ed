/**
 * Promise 4, for finance: each charge, doubt and report is booked once, at its instant, so the statements of all months together say what the
 * balances say.
 */
import { DOUBT_REASONS } from "../../../purchase/purchase.ts";
import { type Audited, checksOf } from "./audited.ts";

const IS_DOUBT_REASON = `p.reason IN (${DOUBT_REASONS.map((reason) => `'${reason}'`).join(", ")})`;
/** A doubt about nothing moves no money, so it is not booked. */
const COSTS = "p.quoted_micros + p.fee_micros + p.use_reserve_micros > 0";
const WAS_CHARGED_LATER = "EXISTS (SELECT 1 FROM resolution r WHERE r.purchase_id = p.id AND r.outcome = 'charged')";

/** How often a purchase `p` must have a booking of each kind. */
const EXPECTED = {
  charged: `p.state = 'settled' AND NOT ${WAS_CHARGED_LATER}`,
  doubt_charged: `p.state = 'settled' AND ${WAS_CHARGED_LATER} AND ${COSTS} AND ${IS_DOUBT_REASON}`,
  charged_late: `p.state = 'settled' AND ${WAS_CHARGED_LATER} AND NOT coalesce(${COSTS} AND ${IS_DOUBT_REASON}, 0)`,
  doubt_opened: `${COSTS} AND (${IS_DOUBT_REASON} OR p.reason = 'resolved_not_charged')`,
  doubt_not_charged: `${COSTS} AND p.reason = 'resolved_not_charged'`,
} as const;

const OF_PURCHASES = Object.entries(EXPECTED).map(
  ([kind, isExpected]) =>
    `SELECT format('purchase %d is %s and has %d bookings %s', p.id, p.state, coalesce(b.count, 0), '${kind}')
     FROM purchase p LEFT JOIN (SELECT purchase_id, count(*) AS count FROM booking WHERE kind = '${kind}' GROUP BY purchase_id) b ON b.purchase_id = p.id
     WHERE coalesce(b.count, 0) <> coalesce(${isExpected}, 0)`,
);

/** The instant of the fact; NULL where it is not kept: when a doubt was opened that has ended. */
const FACT_AT = `CASE b.kind
  WHEN 'report_taken' THEN (SELECT closed_at FROM usage_batch u WHERE u.id = b.usage_batch_id)
  WHEN 'doubt_not_charged' THEN (SELECT at FROM resolution r WHERE r.purchase_id = b.purchase_id AND r.outcome = 'not_charged')
  WHEN 'doubt_opened' THEN (SELECT ended_at FROM purchase p WHERE p.id = b.purchase_id AND p.state = 'in_doubt')
  ELSE (SELECT ended_at FROM purchase p WHERE p.id = b.purchase_id) END`;

export const BOOKINGS = checksOf(4, [
  ...OF_PURCHASES,
  `SELECT format('report %s is %s and is booked %d times', u.idempotency_id, u.state, coalesce(b.count, 0))
   FROM usage_batch u LEFT JOIN (SELECT usage_batch_id, count(*) AS count FROM booking GROUP BY usage_batch_id) b ON b.usage_batch_id = u.id
   WHERE coalesce(b.count, 0) <> (u.state = 'settled')`,
  // None is ever deleted.
  "SELECT format('%d bookings are numbered up to %d', count(*), max(seq)) FROM booking HAVING max(seq) <> count(*)",
  // Each at the instant of its fact, or, where that was before the booking made last, at the instant of that, or at the end of a closed month.
  `SELECT format('booking %d is of another instant than what it books', seq) FROM (
     SELECT b.seq, b.at, ${FACT_AT} AS fact_at, lag(b.at) OVER (ORDER BY b.seq) AS before FROM booking b)
   WHERE at IS NOT fact_at AND at IS NOT before AND fact_at IS NOT NULL
     AND NOT (at > fact_at AND at IN (SELECT ends_at FROM closed_month))`,
  `SELECT format('booking %d is in a month whose statement was called complete before', b.seq)
   FROM booking b JOIN closed_month c ON b.at >= c.starts_at AND b.at < c.ends_at
   WHERE b.seq > c.bookings_before AND b.seq <= coalesce(c.reopened_after, b.seq)`,
  // Only a clock that was wrong by more than a month takes them back, or a person's word about the clock.
  `SELECT format('booking %d is before the one that was made before it', seq) FROM (
     SELECT seq, at, lag(at) OVER (ORDER BY seq) AS before FROM booking)
   WHERE before - at BETWEEN 1 AND 2678400000 AND seq - 1 NOT IN (SELECT bookings_before FROM clock_word)
     AND at NOT IN (SELECT ends_at FROM closed_month)`,
  compareSums,
]);

const CHARGES = "('charged', 'doubt_charged', 'charged_late')";

/** By month and currency, then over all months. */
const SUMS = `
  WITH moved AS (
    SELECT strftime('%Y-%m', b.at / 1000, 'unixepoch') AS month, p.charged_currency AS currency,
           p.charged_micros + p.charged_fee_micros AS settled, p.charged_fee_micros AS fee, 0 AS in_doubt
    FROM booking b JOIN purchase p ON p.id = b.purchase_id WHERE b.kind IN ${CHARGES}
    UNION ALL
    SELECT strftime('%Y-%m', b.at / 1000, 'unixepoch'), p.currency, 0, 0,
           iif(b.kind = 'doubt_opened', 1, -1) * (p.quoted_micros + p.fee_micros + p.use_reserve_micros)
    FROM booking b JOIN purchase p ON p.id = b.purchase_id WHERE b.kind IN ('doubt_opened', 'doubt_charged', 'doubt_not_charged')
    UNION ALL
    SELECT strftime('%Y-%m', b.at / 1000, 'unixepoch'), u.charged_currency, u.charged_micros, 0, 0
    FROM booking b JOIN usage_batch r ON r.id = b.usage_batch_id JOIN use u ON u.entry_id BETWEEN r.first_entry_id AND r.last_entry_id WHERE u.charged_micros IS NOT NULL
  ), months AS (
    SELECT month, currency, sum(settled) AS settled, sum(fee) AS fee, sum(in_doubt) AS in_doubt FROM moved GROUP BY month, currency
  )
  SELECT currency, sum(settled) AS settledMicros, sum(fee) AS feeMicros, sum(in_doubt) AS inDoubtMicros
  FROM months WHERE currency IS NOT NULL GROUP BY currency ORDER BY currency`;

interface Sums {
  readonly settledMicros: number;
  readonly feeMicros: number;
  readonly inDoubtMicros: number;
}

const AMOUNTS = ["settledMicros", "feeMicros", "inDoubtMicros"] as const;

function* compareSums({ db, sumBalances }: Audited): Iterable<string> {
  const booked = new Map(
    db
      .prepare<[], Sums & { readonly currency: string }>(SUMS)
      .all()
      .map((sums) => [sums.currency, sums]),
  );
  const counted = new Map(
    sumBalances()
      .filter(({ scope, period }) => scope === "all" && period === "total")
      .map((one) => [one.currency, one]),
  );
  for (const currency of new Set([...booked.keys(), ...counted.keys()])) {
    for (const amount of AMOUNTS) {
      const [is, shouldBe] = [booked.get(currency)?.[amount] ?? 0, counted.get(currency)?.[amount] ?? 0];
      if (is !== shouldBe) {
        yield `the statements of all months say ${amount} ${is} in ${currency}, the rows add up to ${shouldBe}`;
      }
    }
  }
}
