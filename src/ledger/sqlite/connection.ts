import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { isLicetError, LicetError } from "../../errors.ts";
import { toLedgerError } from "./sqlite-error.ts";

export type Connection = Database.Database;

/** Marks a SQLite file as a ledger ("lict"), so that no other program's database is ever migrated. */
export const APPLICATION_ID = 0x6c696374;
/** How long a statement waits for another process's transaction; those take milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;
/** Pages of the write-ahead log before they are moved into the file: some 16 MB, so that bursts do not pay for it. */
const CHECKPOINT_PAGES = 4_000;
/** Content pages are some kilobytes long: larger database pages mean fewer overflow chains. Only a new file takes it. */
const PAGE_BYTES = 8_192;
/** Negative: KiB. Enough to keep the upper index pages of millions of rows in memory. */
const CACHE_KIB = 16 * 1_024;
/** Only the owner reads a ledger: it holds tokens, prices and paid content. */
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/**
 * Opens the file, made with its directory if need be, with what durability needs: a write-ahead log and one fsync per
 * commit (`synchronous=FULL`).
 * @throws LicetError LEDGER_UNWRITABLE, LEDGER_CORRUPT, LEDGER_LOCKED
 */
export function openConnection(path: string): Connection {
  createPrivateFile(path);
  let db: Connection | undefined;
  try {
    db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    // Before anything is written: the journal's mode is kept in the file, and it may be another program's.
    assertLedgerFile(db, path);
    // SQLite gives -wal and -shm the mode of the file itself.
    chmodSync(path, FILE_MODE);
    db.pragma(`page_size = ${PAGE_BYTES}`);
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = FULL");
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.pragma("temp_store = MEMORY");
    // What is no longer there is gone: a token that was cleared must not stay readable in the free room of its page.
    db.pragma("secure_delete = FAST");
    // References are checked by `audit`: a check per row would cost the hot path more than the rest of its constraints.
    db.pragma("foreign_keys = OFF");
    // What SQLite reads of the schema is not trusted to be free of side effects.
    db.pragma("trusted_schema = OFF");
    return db;
  } catch (error) {
    db?.close();
    throw toLedgerError(error, path);
  }
}

/** @throws LicetError LEDGER_CORRUPT for another program's database; an empty one will be a ledger */
function assertLedgerFile(db: Connection, path: string): void {
  const isEmpty = db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  if (!isEmpty && db.pragma("application_id", { simple: true }) !== APPLICATION_ID) {
    throw new LicetError("LEDGER_CORRUPT", `the file is a database, but not a ledger: ${path}`, {
      hint: "Check `ledger.path`: it names another program's database. It was not touched.",
      details: { path },
    });
  }
}

function createPrivateFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: DIRECTORY_MODE });
    closeSync(openSync(path, "a", FILE_MODE));
  } catch (error) {
    if (isLicetError(error)) {
      throw error;
    }
    const isFull = (error as NodeJS.ErrnoException).code === "ENOSPC";
    throw new LicetError(
      isFull ? "DISK_FULL" : "LEDGER_UNWRITABLE",
      `the ledger cannot be opened for writing: ${path}`,
      {
        hint: "Check `ledger.path`, the rights of its directory, and the room on the disk.",
        details: { path },
        cause: error,
      },
    );
  }
}
