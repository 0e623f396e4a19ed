/**
 * A ledger with rows of each version since the first: it is opened, goes on, and its audit finds nothing. `test/golden/ledgers` has the rows, written
 * by the build of that version; those of this version are compared with what this build writes, so that the next migration finds them.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { loadMigrations, migrate } from "../../../src/ledger/sqlite/engine/migrations.ts";
import { openSqliteLedger } from "../../../src/ledger/sqlite/open.ts";
import { createLedgerBytes, fillLedger } from "../../audit/audited-world.ts";
import { buyPages, NOON } from "../../doubles/ledger-shop.ts";
import { toSettlement } from "../../doubles/ledger-steps.ts";
import { tamper } from "../../doubles/temp-ledger.ts";
import { freeze, leaseFlusher, settle, WINDOW_MS } from "../../doubles/usage-outbox-driver.ts";

const MIGRATIONS = loadMigrations();
const LEDGERS = join(import.meta.dirname, "../../golden/ledgers");
const fileOf = (version: number) => `${String(version).padStart(4, "0")}.sql`;

function toSql(value: unknown): string {
  if (typeof value === "string") {
    return `'${value.replaceAll("'", "''")}'`;
  }
  return Buffer.isBuffer(value) ? `x'${value.toString("hex")}'` : value === null ? "NULL" : String(value);
}

/** Every row, as SQL that writes it. */
function dumpRows(bytes: Buffer): string {
  const db = new Database(bytes);
  try {
    const lines = listTables(db).flatMap((table) =>
      (db.prepare(`SELECT * FROM "${table}"`).raw().all() as unknown[][]).map(
        (row) => `INSERT INTO ${table} VALUES (${row.map(toSql).join(", ")});`,
      ),
    );
    const numbers = db.prepare<[], { name: string; seq: number }>("SELECT name, seq FROM sqlite_sequence").all();
    const given = numbers.map(({ name, seq }) => `UPDATE sqlite_sequence SET seq = ${seq} WHERE name = '${name}';`);
    return `${[...lines, ...given].join("\n")}\n`;
  } finally {
    db.close();
  }
}

function listTables(db: Database.Database): string[] {
  return db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all();
}

async function openEarlier(version: number): Promise<Ledger> {
  const directory = mkdtempSync(join(tmpdir(), "licet-earlier-"));
  const path = join(directory, "licet.sqlite");
  const db = new Database(path);
  migrate(db, MIGRATIONS.slice(0, version), path);
  const isEmptied = listTables(db).map((table) => `DELETE FROM "${table}";`);
  tamper(db, [...isEmptied, readFileSync(join(LEDGERS, fileOf(version)), "utf8")].join("\n"));
  db.close();
  const ledger = await openSqliteLedger({ path });
  onTestFinished(async () => {
    await ledger.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return ledger;
}

/** Since this version, the rows have a report that is plain (usage/plain-reports.ts). */
const WITH_PLAIN_REPORT = 10;

async function fillWithPlain(ledger: Ledger): Promise<void> {
  await fillLedger(ledger);
  await buyPages(ledger, { runId: "run_7", paths: ["/9"] });
  const fence = await leaseFlusher(ledger, NOON + WINDOW_MS);
  await settle(ledger, await freeze(ledger, fence, { idempotencyId: "plain" }));
  await ledger.releaseFlusher(fence);
}

test("each version has its rows, this one too", async () => {
  await expect(dumpRows(await createLedgerBytes(fillWithPlain))).toMatchFileSnapshot(
    join(LEDGERS, fileOf(MIGRATIONS.length)),
  );
  expect(readdirSync(LEDGERS).sort()).toEqual(MIGRATIONS.map(({ version }) => fileOf(version)));
});

test.each(MIGRATIONS.map(({ version }) => version))("a ledger of version %i with rows goes on", async (version) => {
  const ledger = await openEarlier(version);
  const audit = async () => (await ledger.audit({ budgets: [], now: NOON })).violations;
  expect(await audit()).toEqual([]);
  // What was under way ends, and what was open is settled: in doubt, started, in a report.
  await ledger.resolvePurchase({ purchaseId: 4, charged: true, now: NOON });
  await ledger.settlePurchase(toSettlement(5));
  const fence = await leaseFlusher(ledger, NOON + WINDOW_MS);
  const report = await ledger.nextReport({ fence, now: NOON, windowMs: WINDOW_MS });
  expect(report !== null && (await settle(ledger, report))).toBe(true);
  await buyPages(ledger, { runId: "run_later", paths: ["/8"] });
  expect(await audit()).toEqual([]);
  // Bookings, counters and numbers go on where the rows end.
  expect(await ledger.countPendingUses()).toMatchObject({ unbatched: 2, inBatches: 0 });
  expect(await ledger.readLastSettled()).toBe(version < WITH_PLAIN_REPORT ? 6 : 7);
});
