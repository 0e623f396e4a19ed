import type { Connection } from "./connection.ts";
import type { Migration } from "./migrations.ts";
import { toDamagedSchema } from "./sqlite-error.ts";

/** What a statement of a migration does to the names of tables. */
const CHANGE = /\b(CREATE TABLE|DROP TABLE|RENAME TO) (?:IF (?:NOT )?EXISTS )?`(\w+)`/g;
const RENAMED = /\bALTER TABLE `(\w+)` RENAME TO/;

/**
 * Looks whether each table of this version is there. Statements are prepared when they are first run, and a missing table must be found before
 * money is spent.
 * @throws LicetError LEDGER_CORRUPT
 */
export function assertTables(db: Connection, migrations: readonly Migration[], path: string): void {
  const present = new Set(db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all());
  for (const table of listTables(migrations)) {
    if (!present.has(table)) {
      throw toDamagedSchema(new Error(`no such table: ${table}`), path);
    }
  }
}

/** The tables that the migrations make, in the order of their making. */
function listTables(migrations: readonly Migration[]): ReadonlySet<string> {
  const tables = new Set<string>();
  for (const statement of migrations.flatMap(({ statements }) => statements)) {
    tables.delete(RENAMED.exec(statement)?.[1] ?? "");
    for (const [, change, table = ""] of statement.matchAll(CHANGE)) {
      if (change === "DROP TABLE") {
        tables.delete(table);
      } else {
        tables.add(table);
      }
    }
  }
  return tables;
}
