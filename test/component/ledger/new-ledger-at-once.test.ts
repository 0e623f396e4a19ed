/**
 * Two processes that make the same new ledger in one instant. SQLite does not wait where it makes the write-ahead log: of 150 files that two
 * processes opened at once, it refused one to three to each. Here it refuses as often as the test says.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { openSqliteLedger } from "../../../src/ledger/sqlite/open.ts";

function refuseLog(times: number): string {
  const { pragma } = Database.prototype;
  let left = times;
  Database.prototype.pragma = function refused(this: Database.Database, source: string, ...rest) {
    if (source.startsWith("journal_mode") && left-- > 0) {
      throw new Database.SqliteError("database is locked", "SQLITE_BUSY");
    }
    return Reflect.apply(pragma, this, [source, ...rest]);
  } as typeof pragma;
  const directory = mkdtempSync(join(tmpdir(), "licet-at-once-"));
  onTestFinished(() => {
    Database.prototype.pragma = pragma;
    rmSync(directory, { recursive: true, force: true });
  });
  return join(directory, "licet.sqlite");
}

test("a new ledger waits for the process that makes it in the same instant", async () => {
  const ledger = await openSqliteLedger({ path: refuseLog(3) });
  expect(await ledger.hasRuns()).toBe(false);
  await ledger.close();
});

test("a file that stays locked is LEDGER_LOCKED after some seconds", async () => {
  await expect(openSqliteLedger({ path: refuseLog(Number.POSITIVE_INFINITY) })).rejects.toMatchObject({
    code: "LEDGER_LOCKED",
  });
});
