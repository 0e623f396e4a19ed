/**
 * What the ledger does by itself when a row changes: the text of every trigger. A trigger runs in the transaction that changes the row, so
 * what it writes is committed with it, or not at all, whatever operation changed the row.
 *
 * A migration has a copy of this text, because migrations are never edited: a change here needs a migration that drops the trigger and creates
 * it anew. `test/component/ledger/triggers.test.ts` compares the text with the triggers of a ledger.
 *
 * - **Bookings**: which change of state says that money moved, as statements count it.
 * - **Counts**: what is asked for again and again is counted as the rows change.
 * - **Order**: documents get their numbers in the order in which they were settled.
 * - **Facts**: what was written once is not changed, and what was paid for is not deleted. Purchases and uses have no trigger on a change:
 *   it would cost each settlement a fifth of its time. Each statement that changes one names the state that it must be in, and `audit` looks.
 */

/** The longest time by which a booking is moved to the one before it: 31 days, in ms. A clock that was wrong by more does not count. */
const LONGEST_DELAY_MS = 31 * 24 * 60 * 60 * 1_000;

/** The instant of the booking made last, after a person's newest word about the clock. 0: there is none. */
const LAST_BOOKED_AT = `coalesce((
    SELECT at FROM booking
    WHERE seq > coalesce((SELECT bookings_before FROM clock_word ORDER BY id DESC LIMIT 1), 0)
    ORDER BY seq DESC LIMIT 1
  ), 0)`;

/**
 * The instant of a new booking: that of its fact, but never before the booking made last, and never in a month whose statement was called
 * complete. So a month that has ended gets no further booking when one process is slow or its clock is behind.
 */
function bookedAt(factAt: string): string {
  return `(SELECT coalesce((
      SELECT min(ends_at) FROM closed_month c
      WHERE c.reopened_after IS NULL AND c.ends_at > at
        AND EXISTS (SELECT 1 FROM closed_month f WHERE f.reopened_after IS NULL AND f.starts_at <= at AND f.ends_at > at)
        AND NOT EXISTS (SELECT 1 FROM closed_month n WHERE n.reopened_after IS NULL AND n.starts_at = c.ends_at)
    ), at)
    FROM (SELECT iif(${LAST_BOOKED_AT} - ${factAt} BETWEEN 1 AND ${LONGEST_DELAY_MS}, ${LAST_BOOKED_AT}, ${factAt}) AS at))`;
}

/** What a purchase sets aside. A doubt about nothing is not booked. */
const SET_ASIDE = "NEW.quoted_micros + NEW.fee_micros + NEW.use_reserve_micros";

/**
 * A purchase in doubt whose money was set aside opened its doubt with `doubt_opened`; it ends the doubt with `doubt_charged` or
 * `doubt_not_charged`. Content that comes after a release is `charged_late`, as is the charge of a doubt about nothing.
 *
 * | from | to `settled` | to `in_doubt` | to `released` |
 * |---|---|---|---|
 * | `reserved`, `started` | `charged` | `doubt_opened` | |
 * | `in_doubt` | `doubt_charged` | | `doubt_not_charged` |
 * | `released` | `charged_late` | | |
 */
const PURCHASE_IS_BOOKED = `
CREATE TRIGGER purchase_is_booked AFTER UPDATE OF state ON purchase
WHEN OLD.state <> NEW.state
  AND (NEW.state = 'settled' OR 'in_doubt' IN (OLD.state, NEW.state) AND ${SET_ASIDE} > 0)
BEGIN
  INSERT INTO booking (at, kind, purchase_id) VALUES (
  ${bookedAt("NEW.ended_at")},
  CASE NEW.state
    WHEN 'in_doubt' THEN 'doubt_opened'
    WHEN 'released' THEN 'doubt_not_charged'
    ELSE CASE OLD.state
      WHEN 'in_doubt' THEN iif(${SET_ASIDE} > 0, 'doubt_charged', 'charged_late')
      WHEN 'released' THEN 'charged_late'
      ELSE 'charged'
    END
  END,
  NEW.id);
END`;

/** The gateway has taken a report: the charges of its uses are final. */
const REPORT_IS_BOOKED = `
CREATE TRIGGER report_is_booked AFTER UPDATE OF state ON usage_batch
WHEN OLD.state <> NEW.state AND NEW.state = 'settled'
BEGIN
  INSERT INTO booking (at, kind, usage_batch_id) VALUES (
  ${bookedAt("NEW.closed_at")},
  'report_taken',
  NEW.id);
END`;

/** `counter`: uses by state, and pages whose content is stored. */
const COUNTERS = [
  `
CREATE TRIGGER use_is_counted AFTER INSERT ON use
BEGIN
  UPDATE counter SET count = count + 1 WHERE name = 'use_' || NEW.state;
END`,
  `
CREATE TRIGGER use_is_counted_anew AFTER UPDATE OF state ON use
WHEN OLD.state <> NEW.state
BEGIN
  UPDATE counter SET count = count - 1 WHERE name = 'use_' || OLD.state;
  UPDATE counter SET count = count + 1 WHERE name = 'use_' || NEW.state;
END`,
  `
CREATE TRIGGER new_page_is_counted AFTER INSERT ON page
WHEN NEW.held_purchase_id IS NOT NULL
BEGIN
  UPDATE counter SET count = count + 1 WHERE name = 'page_held';
END`,
  `
CREATE TRIGGER held_page_is_counted AFTER UPDATE OF held_purchase_id ON page
WHEN (OLD.held_purchase_id IS NULL) <> (NEW.held_purchase_id IS NULL)
BEGIN
  UPDATE counter SET count = count + (NEW.held_purchase_id IS NOT NULL) - (OLD.held_purchase_id IS NOT NULL)
  WHERE name = 'page_held';
END`,
  `
CREATE TRIGGER gone_page_is_counted AFTER DELETE ON page
WHEN OLD.held_purchase_id IS NOT NULL
BEGIN
  UPDATE counter SET count = count - 1 WHERE name = 'page_held';
END`,
];

/** The counts of a run that are also added up over all runs of a site. */
const TOTALLED = "NEW.kind IN ('seen', 'unchanged', 'excluded', 'denied', 'settled', 'released', 'in_doubt')";

/** A total only grows: when the count of a run becomes less, what came about before still came about. */
function addToTotal(count: string): string {
  return `INSERT INTO site_total (site_id, kind, reason, count) VALUES (NEW.site_id, NEW.kind, NEW.reason, ${count})
  ON CONFLICT (site_id, kind, reason) DO UPDATE SET count = count + excluded.count;`;
}

const SITE_TOTALS = [
  `
CREATE TRIGGER tally_is_totalled AFTER INSERT ON tally
WHEN ${TOTALLED} AND NEW.count > 0
BEGIN
  ${addToTotal("NEW.count")}
END`,
  `
CREATE TRIGGER tally_is_totalled_anew AFTER UPDATE OF count ON tally
WHEN NEW.count > OLD.count AND ${TOTALLED}
BEGIN
  ${addToTotal("NEW.count - OLD.count")}
END`,
];

/** A reader that remembers the number of a document gets exactly the later ones. */
const DOCUMENT_IS_SETTLED = `
CREATE TRIGGER document_is_settled AFTER INSERT ON content
BEGIN
  INSERT INTO settled_document (purchase_id) VALUES (NEW.purchase_id);
END`;

/** @param change when it is refused, such as `BEFORE DELETE ON use` */
function refuse(name: string, change: string, why: string): string {
  return `
CREATE TRIGGER ${name} ${change}
BEGIN
  SELECT RAISE(ABORT, '${why}');
END`;
}

const FACTS = [
  refuse("booking_is_a_fact", "BEFORE UPDATE ON booking", "a booking is never changed"),
  refuse("booking_stays", "BEFORE DELETE ON booking", "a booking is never deleted"),
  refuse("clock_word_is_a_fact", "BEFORE UPDATE ON clock_word", "a word about the clock is never changed"),
  refuse("clock_word_stays", "BEFORE DELETE ON clock_word", "a word about the clock is never deleted"),
  refuse("resolution_is_a_fact", "BEFORE UPDATE ON resolution", "a resolution is never changed"),
  refuse("resolution_stays", "BEFORE DELETE ON resolution", "a resolution is never deleted"),
  refuse("receipt_is_a_fact", "BEFORE UPDATE ON receipt", "a receipt is never changed"),
  refuse("receipt_stays", "BEFORE DELETE ON receipt", "a receipt is never deleted"),
  refuse(
    "usage_batch_is_frozen",
    "BEFORE UPDATE OF idempotency_id, body, body_hash ON usage_batch",
    "a usage batch is frozen",
  ),
  refuse("usage_batch_stays", "BEFORE DELETE ON usage_batch", "a usage batch is never deleted"),
  refuse("purchase_stays", "BEFORE DELETE ON purchase", "a purchase is never deleted"),
  refuse("content_stays", "BEFORE DELETE ON content", "content that was paid for is never deleted"),
  refuse("use_stays", "BEFORE DELETE ON use", "a use is never deleted"),
];

/** Every trigger of a ledger, one statement each. */
export const TRIGGERS: readonly string[] = [
  PURCHASE_IS_BOOKED,
  REPORT_IS_BOOKED,
  ...COUNTERS,
  ...SITE_TOTALS,
  DOCUMENT_IS_SETTLED,
  ...FACTS,
].map((text) => text.trim());
