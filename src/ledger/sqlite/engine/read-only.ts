/**
 * A ledger that this process may read and not write: a file without write permission, a directory or a mount that is read-only.
 *
 * SQLite reads a write-ahead log only through a shared index file beside it, which it makes when nobody has. Where it may not make
 * one, nobody can have the ledger open for writing here, and a private copy is read instead: so is a ledger of an older schema,
 * which has to be brought up to date first.
 */
import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { LicetError } from "../../../errors.ts";
import { assertLedgerFile, type Connection, openConnection } from "./connection.ts";
import { loadDriver } from "./load-driver.ts";
import { isCurrent, loadMigrations, migrate } from "./migrations.ts";
import { toLedgerError } from "./sqlite-error.ts";

const PRIVATE_MODE = 0o600;

export interface ReadConnection {
  readonly db: Connection;
  /** Takes a private copy away. To be called after `db.close()`. */
  release(): void;
}

/**
 * @param path of a file that is there
 * @throws LicetError INSTALL_INCOMPLETE, LEDGER_CORRUPT, LEDGER_OLDER, LEDGER_NEWER, LEDGER_LOCKED, LEDGER_UNWRITABLE where it cannot even be read
 */
export function openReadOnly(path: string): ReadConnection {
  loadDriver();
  const inPlace = openInPlace(path);
  const opened = inPlace === null ? openCopy(path) : { db: inPlace, release: () => {} };
  opened.db.pragma("trusted_schema = OFF");
  // Nothing may be written to a copy: it would be lost.
  opened.db.pragma("query_only = ON");
  return opened;
}

/** @returns null where SQLite cannot read the file without writing beside it, or its schema is of an older licet */
function openInPlace(path: string): Connection | null {
  let db: Connection | undefined;
  try {
    db = new Database(path, { readonly: true, fileMustExist: true });
    assertLedgerFile(db, path);
    if (isCurrent(db, loadMigrations(), path)) {
      return db;
    }
    db.close();
    return null;
  } catch (error) {
    db?.close();
    if (isUnopenable(error)) {
      return null;
    }
    throw toLedgerError(error, path);
  }
}

function isUnopenable(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(?:CANTOPEN|READONLY)/.test(error.code);
}

function openCopy(path: string): ReadConnection {
  const directory = mkdtempSync(join(tmpdir(), "licet-read-"));
  const release = () => rmSync(directory, { recursive: true, force: true });
  try {
    const copy = join(directory, "licet.sqlite");
    copyLedger(path, copy);
    const db = openConnection(copy, "existing");
    try {
      migrate(db, loadMigrations(), path);
    } catch (error) {
      db.close();
      throw error;
    }
    return { db, release };
  } catch (error) {
    release();
    throw toLedgerError(error, path);
  }
}

function copyLedger(path: string, copy: string): void {
  try {
    copyFileSync(path, copy);
    // A copy has the rights of what it was made from.
    chmodSync(copy, PRIVATE_MODE);
    // Where somebody left a log, the newest commits are in it.
    if (existsSync(`${path}-wal`)) {
      copyFileSync(`${path}-wal`, `${copy}-wal`);
      chmodSync(`${copy}-wal`, PRIVATE_MODE);
    }
  } catch (error) {
    throw new LicetError("LEDGER_UNWRITABLE", `the ledger cannot be read: ${path}`, {
      hint: "Check the rights of the file, and the room for a copy of it among the temporary files: a ledger that may not be written is read from a copy.",
      details: { path },
      cause: error,
    });
  }
}
