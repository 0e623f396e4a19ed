/** The triggers of a ledger, against their text (schema/triggers.ts). */
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { loadMigrations, migrate } from "../../../src/ledger/sqlite/engine/migrations.ts";
import { TRIGGERS } from "../../../src/ledger/sqlite/schema/triggers.ts";

test("a new ledger has exactly the triggers whose text is explained, word by word", () => {
  const db = new Database(":memory:");
  migrate(db, loadMigrations(), "ledger");
  const made = db.prepare<[], string>("SELECT sql FROM sqlite_schema WHERE type = 'trigger'").pluck().all();
  db.close();
  expect(made.toSorted()).toEqual(TRIGGERS.toSorted());
});
