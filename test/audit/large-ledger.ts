/** Makes a ledger large: copies all rows of one page for each of many pages, with SQL alone. */
import { createHash } from "node:crypto";
import type Database from "better-sqlite3";

const BATCH_ENTRIES = 500;

/** What must be kept of each page beside its first: rows are copied with these columns changed. */
const COPIES: readonly (readonly [table: string, changes: Readonly<Record<string, string>>])[] = [
  ["page", { id: "id + n", url: "url || '-' || n", held_purchase_id: "held_purchase_id + n" }],
  [
    "purchase",
    {
      id: "id + n",
      page_id: "page_id + n",
      url: "url || '-' || n",
      batch_id: "batch_id + n",
      document_number: "document_number + n",
    },
  ],
  ["content", { purchase_id: "purchase_id + n", page_id: "page_id + n" }],
  ["use", { id: "id + n", page_id: "page_id + n", purchase_id: "purchase_id + n" }],
];

/** @param db a ledger of one page that was bought in one run, reported and settled in one batch, all with the id 1 */
export function enlarge(db: Database.Database, pages: number): void {
  db.transaction(() => {
    for (const [table, changes] of COPIES) {
      const columns = (db.pragma(`table_info("${table}")`) as { name: string }[]).map(({ name }) => name);
      const values = columns.map((name) => changes[name] ?? name);
      db.prepare(
        `INSERT INTO "${table}" (${columns.join(", ")}) WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < ?)
         SELECT ${values.join(", ")} FROM more, "${table}" ORDER BY n`,
      ).run(pages - 1);
    }
    db.exec(`UPDATE tally SET count = count * ${pages}; UPDATE run SET approved = ${pages}, purchases_until = purchases_until + ${pages - 1}; UPDATE run_site SET approved = ${pages};
      UPDATE balance SET settled_micros = settled_micros * ${pages}, fee_micros = fee_micros * ${pages}, bought_pages = bought_pages * ${pages},
        allowed_micros = allowed_micros * ${pages};
      UPDATE sqlite_sequence SET seq = seq + ${pages} WHERE name = 'batch'`);
    freezeAgain(db);
    db.exec(`UPDATE counter SET count = count * ${pages}; UPDATE site_total SET count = count * ${pages}`);
    db.exec(`INSERT INTO booking (at, kind, purchase_id, usage_batch_id)
      SELECT (SELECT max(at) FROM booking), kind, purchase_id, usage_batch_id FROM (
        SELECT 'charged' AS kind, id AS purchase_id, NULL AS usage_batch_id FROM purchase WHERE id > 1
        UNION ALL SELECT 'report_taken', NULL, id FROM usage_batch WHERE id > 1)`);
  })();
}

/** Plain reports of all uses: entry and use have the same id. */
function freezeAgain(db: Database.Database): void {
  const entries = db.prepare<
    [number, number],
    { url: string; timesUsed: number; licenseType: string; licenseCuid: string }
  >(
    `SELECT p.url, u.times AS timesUsed, l.license_type AS licenseType, l.cuid AS licenseCuid
     FROM use u JOIN purchase p ON p.id = u.purchase_id JOIN license l ON l.id = u.license_id WHERE u.id BETWEEN ? AND ? ORDER BY u.id`,
  );
  const write = db.prepare(
    `INSERT INTO usage_batch (id, idempotency_id, body, body_hash, state, attempts, first_attempt_at, not_before, created_at, closed_at,
       receipts_as_expected_at, first_entry_id, last_entry_id, first_use_id)
     SELECT @id, @idempotencyId, @body, @hash, state, attempts, first_attempt_at, not_before, created_at, closed_at, receipts_as_expected_at,
       @first, @last, @first FROM usage_batch WHERE id = 1
     ON CONFLICT (id) DO UPDATE SET idempotency_id = excluded.idempotency_id, body = excluded.body, body_hash = excluded.body_hash,
       last_entry_id = excluded.last_entry_id`,
  );
  const uses = db.prepare<[], number>("SELECT max(id) FROM use").pluck().get() as number;
  for (let first = 1; first <= uses; first += BATCH_ENTRIES) {
    const id = 1 + (first - 1) / BATCH_ENTRIES;
    const last = Math.min(first + BATCH_ENTRIES - 1, uses);
    const idempotencyId = `batch-${id}`;
    const body = Buffer.from(JSON.stringify({ idempotencyId, usage: entries.all(first, last) }));
    write.run({ id, idempotencyId, body, hash: createHash("sha256").update(body).digest(), first, last });
  }
  db.exec(`UPDATE flusher SET uses_through = ${uses}`);
}
