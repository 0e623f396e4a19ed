import { tmpdir } from "node:os";
import Database from "better-sqlite3";
import { LicetError } from "../../../errors.ts";
import type { Spool, SpoolRow } from "../../spool.ts";
import { loadDriver } from "./load-driver.ts";

/** Negative: KiB. More rows than fit are in the file. */
const CACHE_KIB = 4 * 1_024;

/**
 * Opens a database without a name: SQLite makes its file among the temporary ones, and removes its name at once. So no file is left behind,
 * also by a process that is killed.
 * @throws LicetError INSTALL_INCOMPLETE
 */
export function openFileSpool(): Spool {
  loadDriver();
  const db = new Database("");
  db.pragma(`cache_size = -${CACHE_KIB}`);
  // Nobody reads it after a crash.
  db.pragma("journal_mode = OFF");
  db.pragma("synchronous = OFF");
  db.exec(
    "CREATE TABLE row (key TEXT, at INTEGER, n INTEGER, text TEXT, PRIMARY KEY (key, at, n)) STRICT, WITHOUT ROWID",
  );
  const insert = db.prepare<[string, number, number, string]>("INSERT INTO row VALUES (?, ?, ?, ?)");
  const select = db.prepare<[], SpoolRow>("SELECT key, at, text FROM row ORDER BY key, at, n");
  let added = 0;
  const insertAll = db.transaction((rows: readonly SpoolRow[]) => {
    for (const { key, at, text } of rows) {
      insert.run(key, at, added, text);
      added += 1;
    }
  });
  return {
    add: (rows) => {
      try {
        insertAll(rows);
      } catch (error) {
        throw toSpoolError(error);
      }
    },
    sorted: () => select.iterate(),
    close: () => void db.close(),
  };
}

function toSpoolError(error: unknown): unknown {
  return error instanceof Database.SqliteError
    ? new LicetError("DISK_FULL", `a temporary file cannot be written (${error.code})`, {
        hint: "Free some space among the temporary files, or set the variable TMPDIR to a directory that licet may write.",
        details: { path: tmpdir() },
        cause: error,
      })
    : error;
}
