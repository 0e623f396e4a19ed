/** What reads gets no way to write: neither by its type nor by a statement that answers with rows. */
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { createStatements } from "../../../src/ledger/sqlite/engine/statements.ts";

test("a function that only reads runs no statement that writes, also where it answers with rows", () => {
  const db = new Database(":memory:");
  db.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER); INSERT INTO t VALUES (1, 1)");
  const { reading, writing } = createStatements(db, ":memory:");
  const write = "UPDATE t SET n = n + 1 RETURNING n";
  for (const method of ["get", "all", "iterate", "value", "values", "tuples", "iterateTuples"] as const) {
    expect(() => reading[method](write)).toThrow("what only reads would run UPDATE t");
  }
  expect("run" in reading).toBe(false);
  expect(reading.value("SELECT n FROM t")).toBe(1);
  expect(writing.value(write)).toBe(2);
  db.close();
});
