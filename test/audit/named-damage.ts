/** Likely kinds of damage, made by hand to a ledger with every kind of event (scenarios.ts). */

import { BOOKING_DAMAGE } from "./booking-damage.ts";
import { DOCUMENT_DAMAGE } from "./document-damage.ts";

/** What was done to the file, the promise that breaks, and words of the violation that must be among those named. */
export type NamedDamage = readonly [name: string, sql: string, promise: number, words: RegExp];

const page = (path: string) => `(SELECT id FROM page WHERE url LIKE '%${path}')`;
const purchase = (path: string) => `(SELECT max(id) FROM purchase WHERE page_id = ${page(path)})`;
const report = (name: string) => `(SELECT id FROM usage_batch WHERE idempotency_id = '${name}')`;
const run = (name: string) => `(SELECT id FROM run WHERE name = '${name}')`;

/** The nine rows that a purchase of the run `sunday` counts in, a Sunday at the end of an ISO week. */
const NINE_BALANCES = [
  ...["all", "site:news.example"].flatMap((scope) =>
    ["day:2026-11-22", "week:2026-W47", "month:2026-11", "total"].map((period) => [scope, period] as const),
  ),
  ["run:sunday", "total"] as const,
];

const AMOUNTS = ["reserved", "in_doubt", "settled", "fee"] as const;

export const NAMED_DAMAGE: readonly NamedDamage[] = [
  ...NINE_BALANCES.flatMap(([scope, period]) =>
    AMOUNTS.map(
      (amount): NamedDamage => [
        `${amount} off by a micro in ${scope}, ${period}`,
        `UPDATE balance SET ${amount}_micros = ${amount}_micros + 1 WHERE scope = '${scope}' AND period = '${period}' AND currency = 'USD'`,
        1,
        new RegExp(`^the balance of ${scope}, ${period} in USD says `),
      ],
    ),
  ),
  ...NINE_BALANCES.map(
    ([scope, period]): NamedDamage => [
      `no balance of ${scope}, ${period}`,
      `DELETE FROM balance WHERE scope = '${scope}' AND period = '${period}'`,
      1,
      new RegExp(`^the balance of ${scope}, ${period} in USD says settledMicros 0, the rows add up to \\d+$`),
    ],
  ),
  [
    "a purchase moved over midnight",
    `UPDATE purchase SET reserved_at = reserved_at + 3000 WHERE run_id = ${run("sunday")}`,
    1,
    /^the balance of all, week:2026-W48 in USD says/,
  ],
  [
    "a use moved into another month",
    `UPDATE use SET budget_at = budget_at + 12 * 86400000 WHERE key = 'line 2'`,
    1,
    /^the balance of all, month:2026-12 in USD says/,
  ],
  [
    "a reservation that leaked",
    `UPDATE balance SET reserved_micros = reserved_micros + 10000 WHERE scope = 'all'`,
    1,
    /reservedMicros \d+, the rows add up to \d+/,
  ],
  [
    "a currency that changed",
    `UPDATE purchase SET charged_currency = 'EUR' WHERE id = ${purchase("/a")}`,
    1,
    /in EUR says settledMicros/,
  ],
  [
    "an overcharge that nobody heard of",
    "DELETE FROM open_item WHERE kind = 'overcharged' AND purchase_id IS NOT NULL",
    1,
    /^purchase \d+ was charged above its quote, and there was never an open item about it$/,
  ],
  [
    "an overcharge that stopped nothing",
    `UPDATE run_site SET stop = NULL, stop_detail = NULL WHERE run_id = ${run("over")}`,
    1,
    /was charged above its quote, and its site was not stopped$/,
  ],

  [
    "a licence that says more than was bought",
    `UPDATE license SET permissions = '["FULL_USE"]' WHERE id = 1`,
    2,
    /^licence 1 is no longer what was bought$/,
  ],
  [
    "a listing that was edited",
    "UPDATE listing SET json = replace(json, '10000', '10001') WHERE id = 1",
    2,
    /^listing 1 is no longer what the gateway said$/,
  ],
  [
    "two purchases with each other's rates",
    `UPDATE purchase SET listing_id = CASE id WHEN ${purchase("/a")} THEN (SELECT max(id) FROM listing) ELSE listing_id END`,
    2,
    /under a licence that its rates did not offer$/,
  ],
  [
    "a purchase under another licence",
    `UPDATE purchase SET license_id = (SELECT id FROM license WHERE license_type = 'CUSTOM_LICENSE') WHERE id = ${purchase("/a")}`,
    2,
    /under a licence that its rates did not offer$/,
  ],
  [
    "an indexing fetch in a currency",
    "UPDATE purchase SET charged_currency = 'USD' WHERE intent = 'indexing'",
    2,
    /^purchase \d+ is an indexing fetch with a price$/,
  ],
  [
    "money set aside for no report",
    `UPDATE purchase SET reports_fetch = 0 WHERE id = ${purchase("/p/1")}`,
    2,
    /^purchase \d+ sets 10600 micros aside for the report of its fetch, which costs 0$/,
  ],

  [
    "a page bought twice by one run",
    `UPDATE purchase SET page_id = ${page("/d/charged")} WHERE id = ${purchase("/d/late")}`,
    3,
    /^purchases \d+, \d+ of page \S+\/d\/charged are one decision of run doubts, and each was sent$/,
  ],
  [
    "one token for two",
    "UPDATE purchase SET token = 'token-1' WHERE state = 'started'",
    3,
    /^purchases \d+(, \d+)+ have one token$/,
  ],
  ...BOOKING_DAMAGE,
  ...DOCUMENT_DAMAGE,
  [
    "a resolution that is gone",
    `DELETE FROM resolution WHERE purchase_id = ${purchase("/d/late")}`,
    3,
    /^purchase \d+ is settled after it was given up \(token_spent\), and no resolution says so$/,
  ],
  [
    "a resolution that is there twice",
    `INSERT INTO resolution SELECT 99, purchase_id, NULL, NULL, outcome, amount_micros, currency, source, at FROM resolution WHERE purchase_id = ${purchase("/d/charged")}`,
    3,
    /^purchase \d+ was resolved as charged 2 times$/,
  ],
  [
    "resolutions that changed places",
    `UPDATE resolution SET purchase_id = CASE purchase_id WHEN ${purchase("/d/charged")} THEN ${purchase("/d/late")} ELSE ${purchase("/d/charged")} END WHERE purchase_id IN (${purchase("/d/charged")}, ${purchase("/d/late")})`,
    3,
    /was resolved at another instant than it ended$/,
  ],
  [
    "a release that claims a resolution",
    `UPDATE purchase SET reason = 'resolved_not_charged' WHERE id = ${purchase("/d/no")}`,
    3,
    /^purchase \d+ was released as resolved, and no resolution says so$/,
  ],
  [
    "an operator's word on what was never in doubt",
    `INSERT INTO resolution SELECT 99, id, NULL, NULL, 'charged', charged_micros + charged_fee_micros, 'USD', 'operator', ended_at FROM purchase WHERE id = ${purchase("/a")}`,
    3,
    /^purchase \d+ was resolved by hand, and was never in doubt$/,
  ],
  [
    "a doubt about money that claims to have needed nobody's word",
    `UPDATE resolution SET source = 'nothing_to_charge' WHERE purchase_id = ${purchase("/d/free")}`,
    3,
    /^purchase \d+ was resolved by itself, and was to cost something or not in doubt$/,
  ],
  [
    "a charge in another currency, not flagged",
    `UPDATE purchase SET overcharged = 0 WHERE run_id = ${run("euro")}`,
    3,
    /was charged 9000 micros EUR, was quoted 10000 USD, and is not flagged$/,
  ],
  [
    "a purchase in doubt that was never sent",
    `UPDATE purchase SET started_at = NULL WHERE id = ${purchase("/c/2")}`,
    3,
    /^purchase \d+ is in_doubt and was never started$/,
  ],
  [
    "permissions that a report named and no licence of its uses has",
    "UPDATE license SET permissions = '[\"PARTIAL_USE\"]', fingerprint = replace(fingerprint, 'FULL_USE', 'PARTIAL_USE') WHERE cuid = 'cuid-named'",
    5,
    /^report named names other permissions than the licences of its uses$/,
  ],
  [
    "batch ids that would be given out again",
    "UPDATE sqlite_sequence SET seq = 3 WHERE name = 'batch'",
    3,
    /^batch ids begin again at 4, and purchase \d+ had batch \d+$/,
  ],

  [
    "content emptied",
    `UPDATE content SET markdown = '' WHERE page_id = ${page("/a")}`,
    4,
    /^the content of purchase \d+ is no longer what was bought: its hash differs$/,
  ],
  [
    "a page that holds an older version",
    `UPDATE page SET held_purchase_id = (SELECT min(id) FROM purchase WHERE page_id = page.id) WHERE url LIKE '%/c'`,
    4,
    /^page \S+\/c holds purchase \d+, and purchase \d+ is newer$/,
  ],
  [
    "a page stored for an index alone",
    `UPDATE page SET held_intent = 'indexing' WHERE url LIKE '%/a'`,
    4,
    /^page \S+\/a is stored as indexing, purchase \d+ was for content$/,
  ],
  [
    "HTML whose Markdown was forgotten",
    `DELETE FROM derived_markdown WHERE purchase_id = ${purchase("/f/due")}`,
    4,
    /^no Markdown will be derived for purchase \d+$/,
  ],

  [
    "the last later use of a page",
    "DELETE FROM use WHERE key = 'line 2'",
    0,
    /^\d+ rows of use are gone: the last is \d+$/,
  ],
  [
    "a report under a second id",
    `INSERT INTO usage_batch SELECT 99, 'again', body_hash, 'frozen', NULL, 0, NULL, 0, NULL, 0, NULL, created_at, NULL, first_entry_id + 1000, last_entry_id + 1000, NULL, 0, body FROM usage_batch WHERE id = ${report("reported")}; INSERT INTO usage_entry SELECT id + 1000, 99, position, page_id, wire_url, license_type, license_cuid, times, unit_micros, currency FROM usage_entry WHERE batch_id = ${report("reported")}`,
    5,
    /^report again was frozen under another id, reported$/,
  ],
  [
    "the same uses in a second report",
    `INSERT INTO usage_entry SELECT id + 1000, ${report("frozen")}, 9, page_id, wire_url, license_type, license_cuid, times, unit_micros, currency FROM usage_entry WHERE batch_id = ${report("reported")} AND position = 0`,
    5,
    /^report frozen says \d+ uses of \S+, 0 are recorded$/,
  ],
  [
    "a member that moved to another report",
    `UPDATE use SET entry_id = (SELECT max(id) FROM usage_entry WHERE batch_id = ${report("frozen")}) WHERE key = 'line 1'`,
    5,
    /^use \d+ stands in report frozen under other terms than its own$/,
  ],
  [
    "entries with a gap",
    `UPDATE usage_entry SET position = position + 1 WHERE batch_id = ${report("frozen")} AND position = (SELECT max(position) FROM usage_entry WHERE batch_id = ${report("frozen")})`,
    5,
    /^report frozen has gaps between its entries$/,
  ],
  [
    "a use booked at another price",
    "UPDATE use SET unit_micros = unit_micros - 1 WHERE key = 'line 2'",
    5,
    /^use \d+ of purchase \d+ is booked at 9999 micros USD, it was bought at 10000 USD$/,
  ],
  [
    "a use that will not be reported after all",
    `UPDATE use SET state = 'not_reported', entry_id = NULL WHERE page_id = ${page("/u/frozen")}`,
    5,
    /^use \d+ is not_reported, and is to be reported$/,
  ],
  [
    "a use that forgot what it was bought with",
    "UPDATE use SET purchase_id = NULL WHERE key = 'line 1'",
    5,
    /^use \d+ is of a page that was bought before, by purchase \d+, and names none$/,
  ],
  [
    "a receipt for another page",
    `UPDATE receipt SET url = 'https://news.example/other' WHERE entry_id IS NOT NULL AND batch_id = ${report("odd")}`,
    5,
    /^receipt \d+ is for https:\/\/news.example\/other, and answers for \S+$/,
  ],
  [
    "a receipt under another licence",
    `UPDATE receipt SET license_type = 'ON_DEMAND_FULL_USE_LICENSE' WHERE batch_id = ${report("odd")}`,
    5,
    /is for another licence than was reported \(report odd\)$/,
  ],
  [
    "a missing receipt that nobody heard of",
    "DELETE FROM open_item WHERE kind = 'missing_receipt'",
    5,
    /^\d+ receipts are missing \(report odd, \S+ and so on\), 0 are listed$/,
  ],

  [
    "an item that was closed behind everybody's back",
    "UPDATE open_item SET closed_at = at WHERE kind = 'charge_unreadable'",
    7,
    /^open item \d+ \(charge_unreadable\) was closed, and nobody closed it$/,
  ],
  [
    "an item about another report of that kind",
    `UPDATE open_item SET batch_id = ${report("answered")} WHERE kind = 'needs_reconcile' AND closed_at IS NULL`,
    7,
    /^open item \d+ \(needs_reconcile\) is about report answered, which is settled$/,
  ],
  [
    "an item that was opened on another day",
    "UPDATE open_item SET at = at + 86400000 WHERE kind = 'missing_receipt'",
    7,
    /^open item \d+ \(missing_receipt\) was opened at another instant than report odd was settled$/,
  ],
  [
    "an item that stands for more than there is",
    "UPDATE open_item SET count = count + 1 WHERE kind = 'wrong_total'",
    7,
    /^open item \d+ \(wrong_total\) stands for 2, of which 1 are so$/,
  ],
  [
    "a page that nobody keeps off",
    "UPDATE page SET keep_off = 1 WHERE url LIKE '%/a'",
    7,
    /^page \S+\/a is kept off \(1\), and no person resolved a purchase of it$/,
  ],

  [
    "a started purchase in another run's batch",
    "UPDATE batch SET run_id = (SELECT min(run_id) FROM batch) WHERE stage = 'acquire'",
    6,
    /^purchase \d+ is (started|reserved), and no batch is left to carry it out$/,
  ],
  [
    "a cursor that is lost",
    `UPDATE run_site SET walk_page_token = NULL WHERE run_id = ${run("working")}`,
    6,
    /has read 2 catalog pages, and does not know where to go on$/,
  ],
  [
    "a cursor that points elsewhere",
    `UPDATE run_site SET walk_page_token = 'fourth' WHERE run_id = ${run("working")}`,
    6,
    /goes on with a page token that its catalog never gave$/,
  ],
  [
    "pages that fell out of the frontier",
    `DELETE FROM frontier_range WHERE run_id = ${run("working")}`,
    6,
    /^batch \d+ \(quote\) is of 3 rows, and has 0$/,
  ],
  [
    "a frontier that was dropped under a run",
    `DELETE FROM frontier WHERE run_id = ${run("working")}; UPDATE run SET frontier_dropped = 1 WHERE name = 'working'`,
    6,
    /^run working may go on, and its frontier was dropped$/,
  ],
  [
    "a page whose decision is gone",
    `DELETE FROM purchase WHERE run_id = ${run("working")} AND state = 'reserved'`,
    6,
    /^page \S+ was decided in run working, and neither bought nor denied$/,
  ],
  [
    "a mark that no walk has seen",
    "UPDATE site SET high_water_at = high_water_at + 86400000 WHERE high_water_at IS NOT NULL",
    6,
    /^no walk of news.example has seen its high-water mark$/,
  ],
  [
    "a reservation on a site that was stopped",
    `UPDATE run_site SET stop = 'not_enabled', stop_detail = '403' WHERE run_id = ${run("working")}`,
    6,
    /^purchase \d+ is reserved, and long.example was stopped \(not_enabled\)$/,
  ],

  [
    "a denial that is gone",
    `DELETE FROM denial WHERE run_id = ${run("poor")} AND reason = 'denied_by_rule'`,
    0,
    /^run poor counts 1 denied denied_by_rule on poor.example, its rows are 0$/,
  ],
  [
    "a page that a finished run lost",
    `DELETE FROM denial WHERE run_id = ${run("hold")}`,
    0,
    /^run hold saw 1 pages of news.example, and accounts for 0$/,
  ],
  [
    "a run's limit that was counted down",
    "UPDATE run SET approved = approved - 1 WHERE name = 'bought'",
    0,
    /^run bought counts 1 approved against its maxPages, its purchases are 2$/,
  ],
  [
    "the index that admits one purchase of a page",
    "DROP INDEX purchase_open_page",
    0,
    /^the index purchase_open_page is missing$/,
  ],
  [
    "an index that admits doubles",
    "DROP INDEX use_key; CREATE INDEX use_key ON use (key) WHERE key IS NOT NULL",
    0,
    /^the index use_key is not what licet made$/,
  ],
  [
    "a page of another host",
    "UPDATE page SET url = 'https://evil.example/a' WHERE url LIKE '%/a'",
    0,
    /^page https:\/\/evil.example\/a is not a page of news.example$/,
  ],
];
