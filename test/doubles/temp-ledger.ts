import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { onTestFinished } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";
import { copyNewLedger } from "./new-ledger.ts";

export interface TempLedger {
  /** The one that is open now. */
  readonly ledger: Ledger;
  readonly path: string;
  /** Closes it and opens it again, as the next process would. */
  reopen(): Promise<void>;
  /** Changes the file behind the ledger's back: without its CHECKs and without the triggers that keep facts. */
  tamper(sql: string): void;
  /** Reads the file as another program would. */
  query<Row>(sql: string): Row[];
}

/** A ledger in a file of its own, closed and removed when the test has finished. */
export async function openTempLedger(): Promise<TempLedger> {
  const directory = await mkdtemp(join(tmpdir(), "licet-ledger-"));
  const path = join(directory, "licet.sqlite");
  await copyNewLedger(path);
  let ledger = await openSqliteLedger({ path });
  onTestFinished(async () => {
    await ledger.close();
    await rm(directory, { recursive: true, force: true });
  });
  return {
    get ledger() {
      return ledger;
    },
    path,
    async reopen() {
      await ledger.close();
      ledger = await openSqliteLedger({ path });
    },
    tamper: (sql) => withConnection(path, (db) => tamper(db, sql)),
    query: <Row>(sql: string) => withConnection(path, (db) => db.prepare<[], Row>(sql).all()),
  };
}

function withConnection<Result>(path: string, work: (db: Database.Database) => Result): Result {
  const db = new Database(path);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** Changes a file as only a fault or a person could: without its CHECKs, and past the triggers that keep facts. */
export function tamper(db: Database.Database, sql: string): void {
  db.unsafeMode(true);
  db.pragma("ignore_check_constraints = ON");
  db.pragma("foreign_keys = OFF");
  const triggers = db
    .prepare<[], { name: string; table: string; sql: string }>(
      "SELECT name, tbl_name AS 'table', sql FROM sqlite_schema WHERE type = 'trigger'",
    )
    .all();
  for (const { name } of triggers) {
    db.exec(`DROP TRIGGER "${name}"`);
  }
  db.exec(sql);
  const isLeft = db.prepare<[string], number>("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").pluck();
  for (const trigger of triggers.filter(({ table }) => isLeft.get(table) !== undefined)) {
    db.exec(trigger.sql);
  }
}
