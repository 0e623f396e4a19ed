/** A change of the file, the promise that it breaks, and words that the reported violation must contain. */
export type Break = readonly [name: string, sql: string, promise: number, words: string];

const IS_HALF = "b.idempotency_id = 'half-2'";

/** A receipt for the one entry of a report of which none was more than a fact of the report. @param changes SQL, by the column */
function receiptOfHalf(changes: Readonly<Record<string, string>> = {}): string {
  const columns = {
    ...{ batch_id: "b.id", entry_id: "e.id", url: "e.wire_url", license_type: "e.license_type" },
    ...{ license_cuid: "e.license_cuid", per_unit_micros: "e.unit_micros", total_micros: "e.unit_micros * e.times" },
    ...{ currency: "e.currency", at: "b.closed_at", ...changes },
  };
  return `INSERT INTO receipt (${Object.keys(columns).join(", ")}) SELECT ${Object.values(columns).join(", ")}
    FROM usage_batch b JOIN usage_entry e ON e.batch_id = b.id WHERE ${IS_HALF};
    UPDATE usage_batch AS b SET receipts_as_expected_at = NULL WHERE ${IS_HALF}`;
}

export const BREAKS: readonly Break[] = [
  ["a purchase without its run", "DELETE FROM run WHERE name = 'run_2'", 2, "belongs to no run"],
  ["a purchase without its page", "DELETE FROM page WHERE url LIKE '%/6'", 0, "refers to a page that does not exist"],
  [
    "a page that holds a purchase that is not there",
    "UPDATE page SET held_purchase_id = 99 WHERE url LIKE '%/1'",
    0,
    "which does not exist",
  ],
  ["a value that no CHECK admits", "UPDATE purchase SET state = 'paid' WHERE id = 6", 0, "CHECK constraint failed"],
  [
    "an index that lies",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'state = ''in_doubt''', 'state = ''settled''') WHERE name = 'purchase_in_doubt'",
    0,
    "purchase_in_doubt",
  ],
  [
    "a count of a summary",
    "UPDATE tally SET count = 7 WHERE kind = 'settled'",
    0,
    "run run_1 counts 7 settled on news.example, its rows are 2",
  ],
  ["a count of uses", "UPDATE tally SET count = 0 WHERE kind = 'use_reported'", 0, "use_reported"],

  [
    "a kept sum of a page that nobody bought",
    `INSERT INTO booking_sum SELECT NULL, max(seq), 20000, 'charged', 'content', 0, 1, 1, NULL, 'standard', 0, NULL, 'USD', 'USD', '2024-10', 1, 1, 1, 0 FROM booking`,
    4,
    "the kept sums of the day 2024-10-04 say of charged on news.example 1, 1 micros, its bookings say 0, 0 micros",
  ],
  [
    "a balance that says less",
    "UPDATE balance SET settled_micros = settled_micros - 1 WHERE scope = 'all' AND period = 'total'",
    1,
    "the balance of all, total in USD says settledMicros",
  ],
  [
    "a balance that is gone",
    "DELETE FROM balance WHERE scope = 'site:news.example' AND period LIKE 'week:%'",
    1,
    "week:2026-W47",
  ],
  [
    "a balance of nothing",
    "INSERT INTO balance VALUES ('all', 'day:1999-01-01', 'USD', 0, 5, 0, 0, 0, 0, 0, 0)",
    1,
    "day:1999-01-01",
  ],
  [
    "a page bought too many",
    "UPDATE balance SET bought_pages = bought_pages + 1 WHERE scope = 'all' AND period = 'total'",
    1,
    "the balance of all, total in USD says boughtPages",
  ],
  ["a failed page too many", "UPDATE balance SET failed_pages = 7 WHERE scope = 'run:run_2'", 1, "failedPages 7"],
  ["a fee that was not charged", "UPDATE balance SET fee_micros = 1 WHERE scope = 'run:run_2'", 1, "feeMicros 1"],
  ["a charge changed in its row", "UPDATE purchase SET charged_micros = 9999 WHERE id = 1", 1, "the rows add up to"],
  [
    "a reservation moved to another day",
    "UPDATE purchase SET reserved_at = reserved_at + 86400000 WHERE id = 4",
    1,
    "day:2026-11-21",
  ],
  ["a use that is not billed after all", "UPDATE use SET billed = 0 WHERE purchase_id = 3", 1, "run:run_2"],

  [
    "a purchase that no rule allowed",
    "UPDATE purchase SET rule_index = -1 WHERE id = 2",
    2,
    "purchase 2 names no rule",
  ],
  [
    "a purchase without a licence",
    "UPDATE purchase SET license_id = NULL WHERE id = 1",
    2,
    "purchase 1 was made without a licence",
  ],
  [
    "a purchase without a price",
    "UPDATE purchase SET currency = NULL WHERE id = 6",
    2,
    "purchase 6 was made without a licence or a price",
  ],
  ["a licence of a type that cannot be bought", "UPDATE license SET license_type = 'FREE_FOR_ALL'", 2, "FREE_FOR_ALL"],
  [
    "a custom licence without its id",
    "UPDATE license SET license_type = 'CUSTOM_LICENSE', cuid = NULL",
    2,
    "CUSTOM_LICENSE",
  ],
  [
    "a quote that was never listed",
    "UPDATE purchase SET quoted_micros = 12345 WHERE id = 6",
    2,
    "quoted 12345 micros USD",
  ],
  ["a listing that is gone", "UPDATE purchase SET listing_id = NULL WHERE id = 4", 2, "that its rates did not offer"],
  [
    "an indexing fetch with a price",
    "UPDATE purchase SET quoted_micros = 1 WHERE intent = 'indexing'",
    2,
    "indexing fetch with a price",
  ],
  ["a plan that bought", "UPDATE run SET kind = 'planning' WHERE name = 'run_1'", 2, "by a plan"],

  [
    "a page bought twice at once",
    "DROP INDEX purchase_open_page; UPDATE purchase SET page_id = (SELECT page_id FROM purchase WHERE id = 5), state = 'reserved', ended_at = NULL, reason = NULL WHERE id = 6",
    3,
    "being bought 2 times at once",
  ],
  ["a decision that was charged twice", "UPDATE purchase SET page_id = 1 WHERE id = 2", 3, "are one decision"],
  [
    "a started purchase without its token",
    "UPDATE purchase SET token = NULL WHERE id = 5",
    3,
    "purchase 5 is started without its token",
  ],
  [
    "a purchase in doubt that kept its token",
    "UPDATE purchase SET token = 'secret' WHERE id = 4",
    3,
    "purchase 4 is in_doubt and still has its token",
  ],
  [
    "a settled purchase without a charge",
    "UPDATE purchase SET charged_micros = NULL WHERE id = 2",
    3,
    "purchase 2 is settled without a charge",
  ],
  [
    "a released purchase with a charge",
    "UPDATE purchase SET charged_micros = 5 WHERE id = 6",
    3,
    "purchase 6 is released and has a charge",
  ],
  [
    "a charge above its quote that nobody flagged",
    "UPDATE purchase SET charged_micros = 10001 WHERE id = 1",
    3,
    "purchase 1 was charged 10001 micros USD, was quoted 10000 USD, and is not flagged",
  ],
  [
    "a purchase resolved against its state",
    "INSERT INTO resolution VALUES (1, 4, NULL, NULL, 'charged', 10000, 'USD', 'operator', 0)",
    3,
    "purchase 4 was resolved as charged and is in_doubt",
  ],
  [
    "a purchase resolved twice",
    "INSERT INTO resolution VALUES (1, 1, NULL, NULL, 'charged', 10100, 'USD', 'operator', 0), (2, 1, NULL, NULL, 'charged', 10100, 'USD', 'operator', 0)",
    3,
    "resolved as charged 2 times",
  ],
  [
    "a resolution at another amount",
    "INSERT INTO resolution VALUES (1, 1, NULL, NULL, 'charged', 10099, 'USD', 'late_answer', 0)",
    3,
    "resolved at 10099 micros and charged 10100",
  ],

  [
    "a settled purchase without content",
    "DELETE FROM content WHERE purchase_id = 1",
    4,
    "purchase 1 is settled without content",
  ],
  [
    "content of a purchase that was released",
    "UPDATE purchase SET state = 'released', charged_micros = NULL, charged_fee_micros = NULL, reason = 'run_ended' WHERE id = 2",
    4,
    "content of purchase 2 is there",
  ],
  [
    "content that was changed",
    "UPDATE content SET markdown = markdown || '!' WHERE purchase_id = 2",
    4,
    "the content of purchase 2 is no longer what was bought",
  ],
  ["HTML that was changed", "UPDATE content SET html = '' WHERE purchase_id = 7", 4, "the content of purchase 7"],
  [
    "text that moved between sections",
    "UPDATE content SET header = '', footer = header WHERE purchase_id = 1",
    4,
    "its hash differs",
  ],
  ["content of another page", "UPDATE content SET page_id = 2 WHERE purchase_id = 1", 4, "kept for another page"],
  [
    "a page that forgot what it holds",
    "UPDATE page SET held_purchase_id = NULL, held_at = NULL WHERE id = 1",
    4,
    "has content and is not stored",
  ],
  [
    "a fetch that was not recorded",
    "DELETE FROM use WHERE purchase_id = 3",
    4,
    "purchase 3 is settled and its use is not recorded",
  ],

  [
    "a use recorded twice",
    "UPDATE use SET purchase_id = 1, kind = 'fetch', times = 1 WHERE key = 'first'",
    5,
    "the fetch of purchase 1 is recorded 2 times",
  ],
  ["a key recorded twice", "DROP INDEX use_key; UPDATE use SET key = 'first'", 5, "the use first is recorded"],
  ["a use under a report that is gone", "UPDATE use SET entry_id = 999 WHERE purchase_id = 3", 5, "in no report"],
  [
    "a reported use that waits again",
    "UPDATE use SET state = 'pending' WHERE purchase_id = 2",
    5,
    "already in a report",
  ],
  [
    "a use settled by a report without an answer",
    "UPDATE use SET state = 'settled', charged_micros = 10000, charged_currency = 'USD' WHERE purchase_id = 3",
    5,
    "its report waiting is frozen",
  ],
  [
    "a use that stayed in the report that was split",
    "UPDATE use SET entry_id = (SELECT e.id FROM usage_entry e JOIN usage_batch b ON b.id = e.batch_id WHERE b.idempotency_id = 'whole' LIMIT 1) WHERE purchase_id = 2",
    5,
    "which was split",
  ],
  [
    "a use that was counted up after its report",
    "UPDATE use SET times = 4 WHERE key = 'first'",
    5,
    "report half-1 says 4 uses",
  ],
  [
    "a use of another page than its entry",
    "UPDATE use SET page_id = 3 WHERE purchase_id = 2 AND kind = 'fetch'",
    5,
    "under other terms than its own",
  ],
  [
    "a report that was given up and not listed",
    "UPDATE usage_batch SET state = 'needs_reconcile', closed_at = 1 WHERE idempotency_id = 'waiting'",
    5,
    "there was never an open item about it",
  ],
  [
    "bytes that changed",
    "UPDATE usage_batch SET body = CAST(replace(CAST(body AS TEXT), '\"timesUsed\":1', '\"timesUsed\":2') AS BLOB) WHERE idempotency_id = 'waiting'",
    5,
    "report waiting is no longer byte for byte",
  ],
  [
    "bytes that are not a report",
    "UPDATE usage_batch SET body = x'00', body_hash = unhex('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d') WHERE idempotency_id = 'waiting'",
    5,
    "report waiting cannot be read",
  ],
  [
    "an id that changed",
    "UPDATE usage_batch SET idempotency_id = 'waiting-2' WHERE idempotency_id = 'waiting'",
    5,
    "was frozen under another id, waiting",
  ],
  [
    "an entry that changed after it was frozen",
    "UPDATE usage_entry SET wire_url = 'https://news.example/x' WHERE batch_id = (SELECT id FROM usage_batch WHERE idempotency_id = 'waiting')",
    5,
    "does not say what its entries say",
  ],
  [
    "a half that is gone",
    "UPDATE usage_batch SET parent_id = NULL WHERE idempotency_id = 'half-2'",
    5,
    "its two halves are not the whole",
  ],
  [
    "a receipt that is gone",
    "UPDATE usage_batch SET receipts_as_expected_at = NULL WHERE idempotency_id = 'half-2'",
    5,
    "1 receipts are missing (report half-2, https://news.example/2 and so on), 0 are listed",
  ],
  ["a receipt that is there twice", `${receiptOfHalf()}; ${receiptOfHalf()}`, 5, "have 2 receipts"],
  [
    "a receipt that does not add up",
    receiptOfHalf({ per_unit_micros: "9" }),
    5,
    "1 receipts do not add up or are not plausible (report half-2",
  ],
  [
    "a receipt in another currency",
    receiptOfHalf({ currency: "'EUR'" }),
    5,
    "1 receipts are in another currency (report half-2",
  ],
  [
    "a receipt for nothing",
    receiptOfHalf({ id: "99", entry_id: "NULL", url: "'https://x.example/'" }),
    5,
    "1 receipts are too many (report half-2, https://x.example/ and so on), 0 are listed",
  ],
  [
    "a booking that is not the receipt's",
    "UPDATE use SET billed = 1, charged_micros = 9999, charged_currency = 'USD' WHERE purchase_id = 2 AND kind = 'fetch'",
    5,
    "were booked at 9999 micros USD, the receipt says 10000 USD",
  ],
  [
    "a charge for a use that is not billed",
    "UPDATE use SET charged_micros = 5, charged_currency = 'USD' WHERE purchase_id = 2",
    5,
    "is not billed and has a charge",
  ],
  [
    "a billed use that was reported for nothing",
    "UPDATE use SET charged_micros = NULL WHERE key = 'first'",
    5,
    "is billed, reported and has no charge",
  ],

  [
    "a booking in a month that was closed before",
    "INSERT INTO closed_month (starts_at, ends_at, bookings_before) SELECT at, at + 1, seq - 1 FROM booking WHERE seq = 1",
    4,
    "booking 1 is in a month whose statement was called complete before",
  ],
  [
    "a purchase that nobody will finish",
    "DELETE FROM batch WHERE id = (SELECT batch_id FROM purchase WHERE id = 5)",
    6,
    "purchase 5 is started, and no batch is left",
  ],
  [
    "a purchase left open by a run that is over",
    "UPDATE run SET state = 'completed', ended_at = 1 WHERE name = 'run_4'",
    6,
    "its run run_4 is completed",
  ],
  [
    "a page that waits in a batch that does not know it",
    "UPDATE frontier_range SET batch_id = 12 WHERE first_page_id = 5",
    6,
    "page 5 waits in batch 12 of run 4, which does not name it",
  ],
  [
    "pages that wait nowhere",
    "INSERT INTO frontier SELECT run_id, 5, 'waiting', NULL FROM frontier_range WHERE first_page_id = 5; DELETE FROM frontier_range WHERE first_page_id = 5",
    6,
    "wait in no batch of run run_4",
  ],
  [
    "a walk that nobody goes on with",
    "UPDATE run_site SET walk_ended = NULL WHERE run_id = 4",
    6,
    "the walk of news.example in run run_4 has not ended",
  ],

  [
    "a release without a reason",
    "UPDATE purchase SET reason = NULL WHERE id = 6",
    7,
    "purchase 6 is released without a known reason",
  ],
  [
    "a doubt without a reason",
    "UPDATE purchase SET reason = 'because' WHERE id = 4",
    7,
    "purchase 4 is in doubt without a known reason",
  ],
  [
    "a walk cut without a warning",
    "UPDATE run_site SET walk_ended = 'cut' WHERE run_id = 1",
    7,
    "was cut without a warning",
  ],
  [
    "a site stopped without a word",
    "UPDATE run_site SET stop = 'failed' WHERE run_id = 1",
    7,
    "was stopped in run run_1",
  ],
];
