import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { openConnection } from "../../../src/ledger/sqlite/engine/connection.ts";
import { openTempLedger } from "../../doubles/temp-ledger.ts";

/** SQLite's number for `synchronous = FULL`: a commit is on the disk before it is confirmed. */
const FULL = 2;

async function openOne(): Promise<{ readonly db: Database.Database; readonly path: string }> {
  const { path } = await openTempLedger();
  const db = openConnection(path);
  onTestFinished(() => void db.close());
  return { db, path };
}

it("writes every commit to the disk: a settlement that was confirmed survives a power failure", async () => {
  const { db } = await openOne();
  expect(db.pragma("synchronous", { simple: true })).toBe(FULL);
  expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
});

it("waits for another process's transaction, far longer than a transaction takes", async () => {
  const { db, path } = await openOne();
  expect(db.pragma("busy_timeout", { simple: true })).toBeGreaterThanOrEqual(1_000);
  const other = new Database(path);
  onTestFinished(() => void other.close());
  other.exec("BEGIN IMMEDIATE");
  db.pragma("busy_timeout = 1");
  expect(() => db.exec("BEGIN IMMEDIATE")).toThrow(/locked/);
  other.exec("COMMIT");
  db.exec("BEGIN IMMEDIATE; COMMIT");
});
