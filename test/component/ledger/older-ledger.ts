/** A ledger of an earlier licet: the schema of an earlier version, with the data of present rows. */
import Database from "better-sqlite3";
import { loadMigrations, migrate } from "../../../src/ledger/sqlite/engine/migrations.ts";

/** @returns the new file, beside the given one */
export function writeOlderLedger(path: string, version: number): string {
  const older = `${path}.v${version}`;
  const db = new Database(older);
  try {
    migrate(db, loadMigrations().slice(0, version), older);
    db.prepare("ATTACH ? AS present").run(path);
    const columnsOf = (schema: string, table: string) =>
      db.prepare<[string, string], string>("SELECT name FROM pragma_table_info(?, ?)").pluck().all(table, schema);
    const tables = db
      .prepare<[], string>(
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND (name NOT LIKE 'sqlite_%' OR name = 'sqlite_sequence')",
      )
      .pluck()
      .all();
    db.pragma("foreign_keys = OFF");
    for (const table of tables) {
      const known = new Set(columnsOf("present", table));
      const shared = columnsOf("main", table).filter((column) => known.has(column));
      const columns = shared.map((column) => `"${column}"`).join(", ");
      const values = shared.map((column) => toOlder(table, column, version)).join(", ");
      // What the earlier version did not know, such as a later kind of count, it does not have.
      db.exec(
        `DELETE FROM main."${table}"; INSERT OR IGNORE INTO main."${table}" (${columns}) SELECT ${values} FROM present."${table}"`,
      );
    }
  } finally {
    db.close();
  }
  return older;
}

/** Until version 14, `kind` only told plans in the making from runs. */
function toOlder(table: string, column: string, version: number): string {
  return table === "run" && column === "kind" && version < 15 ? "iif(kind = 'planning', 'plan', 'run')" : `"${column}"`;
}
