/** A statement has one plan, whatever is bound: SQLite would prepare it anew at each run with another value (docs/decisions/0145). */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openConnection } from "../../../src/ledger/sqlite/engine/connection.ts";
import { createStatements } from "../../../src/ledger/sqlite/engine/statements.ts";

async function openTable() {
  const directory = await mkdtemp(join(tmpdir(), "licet-one-plan-"));
  const path = join(directory, "licet.sqlite");
  const db = openConnection(path);
  onTestFinished(async () => {
    db.close();
    await rm(directory, { recursive: true, force: true });
  });
  db.exec("CREATE TABLE thing (id INTEGER PRIMARY KEY, state TEXT, n INTEGER, b BLOB)");
  db.exec("CREATE INDEX thing_open ON thing (state) WHERE state = 'open'");
  db.exec("INSERT INTO thing (state, n, b) VALUES ('open', 12, x'01'), ('?', 13, NULL), ('@state', NULL, x'02')");
  return { db, statements: createStatements(db, path).reading };
}

it("does not depend on the value that is bound", async () => {
  const { db, statements } = await openTable();
  const text = "EXPLAIN QUERY PLAN SELECT id FROM thing WHERE state = ?";
  const planOf = (state: string) => statements.all<{ detail: string }>(text, state).map(({ detail }) => detail);
  expect(planOf("open")).toEqual(["SCAN thing"]);
  expect(planOf("closed")).toEqual(["SCAN thing"]);
  // As it would be otherwise.
  expect(db.prepare(text).all("open")).toMatchObject([{ detail: expect.stringContaining("thing_open") }]);
});

it("uses a partial index where the text says its condition", async () => {
  const { statements } = await openTable();
  const text = "EXPLAIN QUERY PLAN SELECT id FROM thing WHERE state = 'open' AND n > ?";
  expect(statements.all(text, 1)).toMatchObject([{ detail: expect.stringContaining("thing_open") }]);
});

it("leaves literals, names and comments as they are, and compares and binds as before", async () => {
  const { statements } = await openTable();
  expect(statements.values("SELECT id FROM thing WHERE state = '?' -- what of ?\n AND n = ?", 13)).toEqual([2]);
  expect(
    statements.values("SELECT id FROM thing WHERE state = '@state' /* ? @n */ AND b = @b", { b: Buffer.of(2) }),
  ).toEqual([3]);
  expect(statements.all('SELECT n AS "?", state AS `@x` FROM thing WHERE id = ?', 1)).toEqual([
    { "?": 12, "@x": "open" },
  ]);
  // The column's affinity counts: "12" is compared as a number.
  expect(statements.values("SELECT id FROM thing WHERE n = ?", "12")).toEqual([1]);
  for (const value of [null, "x", "12", 7, 0.5, Buffer.of(1, 0)]) {
    expect(statements.value("SELECT ?", value)).toEqual(value);
  }
});
