/** The schema that a ledger of this licet has: what its migrations make of an empty database. */
import Database from "better-sqlite3";
import { loadMigrations } from "./migrations.ts";

export interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

let known: readonly SchemaObject[] | null = null;

/** Tables, indexes and triggers, in words exactly as in `sqlite_schema`. Made once a process. */
export function readExpectedSchema(): readonly SchemaObject[] {
  known ??= buildSchema();
  return known;
}

function buildSchema(): SchemaObject[] {
  const db = new Database(":memory:");
  try {
    for (const { statements } of loadMigrations()) {
      for (const statement of statements) {
        db.exec(statement);
      }
    }
    return db
      .prepare<[], SchemaObject>("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite@_%' ESCAPE '@'")
      .all();
  } finally {
    db.close();
  }
}
