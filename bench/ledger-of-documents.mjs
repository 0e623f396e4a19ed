/** A ledger of one finished run that bought so many pages, written as rows: what a crawl would write, in a second. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";

export const HOST = "bench.example";
export const RUN = "run_bench";

const BODY_BYTES = 6_000;
const PRICE_MICROS = 10_000;

/** @param build a checkout that is built: its migrations make the tables */
export async function fillLedger(build, path, documents) {
  const { openSqliteLedger } = await import(pathToFileURL(join(build, "dist/src/ledger/sqlite/open.js")).href);
  await (await openSqliteLedger({ path })).close();
  const db = new Database(path);
  const pages = `WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ${documents})`;
  const spent = documents * PRICE_MICROS;
  db.transaction(() => {
    for (const sql of [
      `INSERT INTO site (id, host) VALUES (1, '${HOST}')`,
      `INSERT INTO rule (id, text) VALUES (1, 'allow everything')`,
      `INSERT INTO license (id, fingerprint, license_type, permissions) VALUES (1, 'one', 'ON_DEMAND_LICENSE', '["PARTIAL_USE"]')`,
      `INSERT INTO run (id, name, kind, state, started_at, ended_at, purchases_after) VALUES (1, '${RUN}', 'walk', 'completed', 1, 2, 0)`,
      "INSERT INTO run_site (run_id, site_id, position, overlap_ms) VALUES (1, 1, 0, 0)",
      `INSERT INTO tally (run_id, site_id, kind, reason, count) VALUES (1, 1, 'seen', '', ${documents}), (1, 1, 'settled', '', ${documents})`,
      `INSERT INTO balance (scope, period, currency, reserved_micros, in_doubt_micros, settled_micros, fee_micros)
       VALUES ('all', 'total', 'USD', 0, 0, ${spent}, 0), ('run:${RUN}', 'total', 'USD', 0, 0, ${spent}, 0)`,
      `${pages} INSERT INTO page (id, site_id, url, held_purchase_id, held_at, held_intent)
       SELECT id, 1, 'https://${HOST}/' || id, id, 2, 'content' FROM n`,
      `${pages} INSERT INTO purchase (id, run_id, site_id, page_id, url, batch_id, state, intent, format, policy_name, rule_index, rule_id, license_id,
         quoted_micros, fee_micros, use_reserve_micros, currency, reports_fetch, reserved_at, ended_at, charged_micros, charged_fee_micros)
       SELECT id, 1, 1, id, 'https://${HOST}/' || id, 1, 'settled', 'content', 'markdown', 'standard', 0, 1, 1,
         ${PRICE_MICROS}, 0, 0, 'USD', 0, 1, 2, ${PRICE_MICROS}, 0 FROM n`,
      `${pages} INSERT INTO content (purchase_id, page_id, content_hash, title, markdown)
       SELECT id, id, hex(id), 'Page ' || id, hex(randomblob(${BODY_BYTES / 2})) FROM n`,
      // Builds before 0006 have a table of numbers; those before 0003 fill it by triggers.
      hasTable(db, "settled_document")
        ? "INSERT INTO settled_document (purchase_id) SELECT purchase_id FROM content WHERE true ON CONFLICT DO NOTHING"
        : "UPDATE purchase SET document_number = id",
      `UPDATE counter SET count = ${documents} WHERE name = 'page_held'`,
    ]) {
      db.exec(sql);
    }
  })();
  db.close();
}

function hasTable(db, name) {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}
