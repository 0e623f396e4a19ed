/**
 * A ledger of many runs over many days, written as rows: a year of crawls in some seconds. Each page was bought once. Its money agrees: what
 * `licet audit` finds are the hashes of rates and texts alone, which nobody has made.
 *
 *   npm run build && node bench/ledger-of-many-runs.mjs FILE [--pages 1000000] [--runs 10000] [--days 365] [--until 2026-06-29T07:00:00Z]
 */
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";

const HERE = resolve(import.meta.dirname, "..");
const DAY_MS = 86_400_000;
const SITES = 8;
/** Of each run: so many pages that no rule allows. */
const DENIED = 5;
/** The newest runs keep their denials page by page; those of older ones are only counted. */
const RUNS_WITH_DENIALS = 200;
/** Of the newest purchases, each 25th is in doubt. */
const DOUBTS = 40;
const DOUBT_EVERY = 25;
/** Prices, in micros: as many as this, from the lowest by steps. */
const PRICES = 17;
const PRICE = (id) => `(2000 + ${id} * 7919 % ${PRICES} * 1000)`;
/** The price of the pages that no rule allows. */
const DEAR_MICROS = 45_000;
const LICENSES = ["ON_DEMAND_LICENSE", "ON_DEMAND_FULL_USE_LICENSE"];

/** The host of a site, from 1. */
export const hostOf = (site) => `site-${site}.example`;

/**
 * @param open opens a ledger, which makes its tables
 * @param until the instant of the last run, epoch ms
 */
export async function fillManyRuns(open, path, { pages, runs, days, until }) {
  await (await open({ path })).close();
  const db = new Database(path);
  db.pragma("synchronous = OFF");
  db.transaction(() => {
    for (const sql of statements({ pages, runs, days, until })) {
      db.exec(sql);
    }
  })();
  db.close();
}

function statements({ pages, runs, days, until }) {
  const numbers = (count) => `WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ${count})`;
  const stepMs = Math.floor((days * DAY_MS) / runs);
  const startOf = (run) => `(${until} - (${runs} - ${run}) * ${stepMs} - 60000)`;
  // Page and purchase have the same number. The pages of one run follow each other, and all runs of a site are `SITES` apart.
  const runOf = (id) => `((${id} - 1) * ${runs} / ${pages} + 1)`;
  const siteOf = (run) => `((${run} - 1) % ${SITES} + 1)`;
  const url = (id) => `'https://site-' || ${siteOf(runOf(id))} || '.example/articles/' || ${id}`;
  const isDoubt = (id) => `(${id} > ${pages - DOUBTS * DOUBT_EVERY} AND ${id} % ${DOUBT_EVERY} = 0)`;
  return [
    `${numbers(SITES)} INSERT INTO site (id, host, high_water_at, last_full_walk_at) SELECT id, 'site-' || id || '.example', ${until}, ${until} FROM n`,
    "INSERT INTO rule (id, text) VALUES (1, 'allow license ON_DEMAND_LICENSE, maxPrice 0.02 USD')",
    ...LICENSES.flatMap((license, index) => offers(license, index + 1)),
    `${numbers(runs)} INSERT INTO run (id, name, started_by, kind, state, reason, ended_by, started_at, ended_at, purchases_after, purchases_until,
         frontier_dropped)
       SELECT id, printf('run_many%08d', id), iif(id % 3 = 0, 'manual', 'schedule'), 'walk', iif(id % 50 = 0, 'budget_exhausted', 'completed'),
         iif(id % 50 = 0, 'budget all per day in USD', NULL), 'itself', ${startOf("id")}, ${startOf("id")} + 45000,
         ((id - 1) * ${pages} + ${runs - 1}) / ${runs}, (id * ${pages} + ${runs - 1}) / ${runs}, 1 FROM n`,
    `INSERT INTO run_site (run_id, site_id, position, overlap_ms, walk_pages_read, walk_ended)
       SELECT id, ${siteOf("id")}, 0, 86400000, 1, 'complete' FROM run`,
    `${numbers(pages)} INSERT INTO page (id, site_id, url) SELECT id, ${siteOf(runOf("id"))}, ${url("id")} FROM n`,
    `${numbers(pages)} INSERT INTO purchase (id, run_id, site_id, page_id, url, batch_id, state, intent, format, policy_name, rule_index, rule_id, license_id,
         listing_id, quoted_micros, fee_micros, use_reserve_micros, currency, reports_fetch, reserved_at, started_at, ended_at, charged_micros, charged_fee_micros,
         charged_currency, valid_until_at, document_number, reason)
       SELECT id, ${runOf("id")}, ${siteOf(runOf("id"))}, id, ${url("id")}, 1, iif(${isDoubt("id")}, 'in_doubt', 'settled'), 'content', 'markdown',
         'standard', 0, 1, 1 + id % 2, (SELECT id FROM listing l WHERE l.hash = CAST((1 + id % 2) || ' ' || ${PRICE("id")} AS BLOB)), ${PRICE("id")}, id % 3 * 50, 0, 'USD', 0, ${startOf(runOf("id"))} + 1000,
         ${startOf(runOf("id"))} + 2000, ${startOf(runOf("id"))} + 3000, iif(${isDoubt("id")}, NULL, ${PRICE("id")}),
         iif(${isDoubt("id")}, NULL, id % 3 * 50), iif(${isDoubt("id")}, NULL, 'USD'),
         iif(id % 4 = 0, ${startOf(runOf("id"))} + (30 + id % 300) * ${DAY_MS}, NULL), iif(${isDoubt("id")}, NULL, id),
         iif(${isDoubt("id")}, 'token_spent', NULL) FROM n`,
    `UPDATE page SET held_purchase_id = id, held_intent = 'content', held_at = (SELECT ended_at FROM purchase p WHERE p.id = page.id)
       WHERE NOT ${isDoubt("id")}`,
    `INSERT INTO content (purchase_id, page_id, content_hash, title, markdown)
       SELECT id, id, printf('%064x', id), 'Article ' || id || ' of a year', '# Article ' || id || char(10) || char(10) || 'Its text.'
       FROM purchase WHERE state = 'settled'`,
    `INSERT INTO booking (at, kind, purchase_id)
       SELECT ended_at, iif(state = 'settled', 'charged', 'doubt_opened'), id FROM purchase ORDER BY id`,
    `INSERT INTO tally (run_id, site_id, kind, reason, count)
       SELECT run_id, site_id, iif(state = 'settled', 'settled', 'in_doubt'), '', count(*) FROM purchase GROUP BY run_id, state`,
    "INSERT INTO tally (run_id, site_id, kind, reason, count) SELECT run_id, site_id, 'approved', '', count(*) FROM purchase GROUP BY run_id",
    `INSERT INTO tally (run_id, site_id, kind, reason, count)
       SELECT id, ${siteOf("id")}, iif(id > ${runs - RUNS_WITH_DENIALS}, 'denied', 'pruned'), 'no_rule_matched', ${DENIED} FROM run`,
    `INSERT INTO tally (run_id, site_id, kind, reason, count)
       SELECT id, ${siteOf("id")}, 'denied', 'no_rule_matched', ${DENIED} FROM run WHERE id <= ${runs - RUNS_WITH_DENIALS}`,
    `INSERT INTO tally (run_id, site_id, kind, reason, count)
       SELECT run_id, site_id, k.column1, '', ${DENIED} + count(*) FROM purchase, (VALUES ('seen'), ('quoted')) k GROUP BY run_id, k.column1`,
    `UPDATE run SET approved = (SELECT count FROM tally t WHERE t.run_id = run.id AND t.kind = 'approved')`,
    `UPDATE run_site SET approved = (SELECT count FROM tally t WHERE t.run_id = run_site.run_id AND t.kind = 'approved')`,
    ...deniedPages({ pages, runs, siteOf, startOf, numbers }),
    ...balances(),
    ...bookingSums(),
    `UPDATE counter SET count = (SELECT count(*) FROM page WHERE held_at IS NOT NULL) WHERE name = 'page_held'`,
  ];
}

/** A licence, and what a gateway lists that offers it at each price. */
function offers(type, id) {
  const { licenseType, cuid, licensePath, permissions } = terms(type, id);
  const fingerprint = JSON.stringify([licenseType, cuid, licensePath, permissions]);
  return [
    `INSERT INTO license (id, fingerprint, license_type, cuid, license_path, permissions)
       VALUES (${id}, '${fingerprint}', '${type}', '${cuid}', NULL, '${JSON.stringify(permissions)}')`,
    ...Array.from({ length: PRICES }, (_, index) => 2000 + index * 1000).map(
      (micros) =>
        `INSERT INTO listing (hash, json) VALUES (CAST('${id} ${micros}' AS BLOB), '${JSON.stringify(listed(type, id, micros))}')`,
    ),
  ];
}

const terms = (licenseType, id) => ({
  licenseType,
  cuid: `cuid-${id}`,
  licensePath: null,
  permissions: ["PARTIAL_USE"],
});

const listed = (type, id, micros) => ({
  rates: [{ license: terms(type, id), price: { micros, currency: "USD" }, error: null, validUntilAt: null }],
  unreadable: [],
});

function deniedPages({ pages, runs, siteOf, startOf, numbers }) {
  const run = `(${runs} - (n.id - 1) / ${DENIED})`;
  const count = Math.min(RUNS_WITH_DENIALS, runs) * DENIED;
  const dear = JSON.stringify(listed(LICENSES[0], 1, DEAR_MICROS));
  return [
    `INSERT INTO listing (id, hash, json) VALUES (1000, CAST('dear' AS BLOB), '${dear}')`,
    `${numbers(count)} INSERT INTO page (id, site_id, url)
       SELECT ${pages} + n.id, ${siteOf(run)}, 'https://site-' || ${siteOf(run)} || '.example/dear/' || n.id FROM n`,
    `${numbers(count)} INSERT INTO denial (run_id, page_id, policy_name, reason, listing_id, at)
       SELECT ${run}, ${pages} + n.id, 'standard', 'no_rule_matched', 1000, ${startOf(run)} + 1500 FROM n`,
  ];
}

/** A thousand bookings at once, as a ledger keeps their sums. */
function bookingSums() {
  const columns = `day, kind, intent, by_operator, site_id, run_id, license_id, policy_name, rule_index, rule_id, currency, charged_currency,
    budget_month, count, expected_micros, charged_micros, fee_micros`;
  return [
    `INSERT INTO booking_sum (until_seq, ${columns})
       SELECT (b.seq + 999) / 1000 * 1000 AS block, b.at / ${DAY_MS} AS day, b.kind, 'content', 0, p.site_id, p.run_id, p.license_id, p.policy_name,
         p.rule_index, p.rule_id, p.currency, p.charged_currency, strftime('%Y-%m', p.reserved_at / 1000, 'unixepoch'), count(*),
         sum(p.quoted_micros + p.fee_micros), coalesce(sum(p.charged_micros), 0), coalesce(sum(p.charged_fee_micros), 0)
       FROM booking b CROSS JOIN purchase p ON p.id = b.purchase_id WHERE b.seq <= (SELECT max(seq) / 1000 * 1000 FROM booking)
       GROUP BY block, day, b.kind, p.site_id, p.run_id, p.license_id, p.charged_currency, p.reserved_at / ${DAY_MS} ORDER BY block`,
  ];
}

/** Each scope by each period, of the purchases themselves. */
function balances() {
  const day = "strftime('%Y-%m-%d', reserved_at / 1000, 'unixepoch')";
  const week = "strftime('%G-W%V', reserved_at / 1000, 'unixepoch')";
  const periods = ["'total'", `'day:' || ${day}`, `'week:' || ${week}`, `'month:' || substr(${day}, 1, 7)`];
  const scopes = ["'all'", "'site:' || (SELECT host FROM site s WHERE s.id = site_id)"];
  const pairs = [
    ...scopes.flatMap((scope) => periods.map((period) => [scope, period])),
    ["'run:' || (SELECT name FROM run r WHERE r.id = run_id)", "'total'"],
  ];
  return pairs.map(
    ([
      scope,
      period,
    ]) => `INSERT INTO balance (scope, period, currency, reserved_micros, in_doubt_micros, settled_micros, fee_micros, bought_pages)
       SELECT ${scope}, ${period}, 'USD', 0, coalesce(sum(quoted_micros + fee_micros) FILTER (WHERE state = 'in_doubt'), 0),
         coalesce(sum(charged_micros + charged_fee_micros), 0), coalesce(sum(charged_fee_micros), 0), count(charged_micros)
       FROM purchase GROUP BY 1, 2`,
  );
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      pages: { type: "string", default: "1000000" },
      runs: { type: "string", default: "10000" },
      days: { type: "string", default: "365" },
      until: { type: "string" },
    },
  });
  const [file = "licet.sqlite"] = positionals;
  const { openSqliteLedger } = await import(pathToFileURL(join(HERE, "dist/src/ledger/sqlite/open.js")).href);
  await fillManyRuns(openSqliteLedger, file, {
    pages: Number(values.pages),
    runs: Number(values.runs),
    days: Number(values.days),
    until: values.until === undefined ? Date.now() : Date.parse(values.until),
  });
}
