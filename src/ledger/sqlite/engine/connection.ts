import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { LicetError } from "../../../errors.ts";
import type { LedgerAccess } from "../../ledger-access.ts";
import { assertLedgerThere } from "./ledger-file.ts";
import { loadDriver } from "./load-driver.ts";
import { isBusy, toLedgerError } from "./sqlite-error.ts";

export type Connection = Database.Database;

/** Marks a SQLite file as a ledger ("Lict"), so that no other program's database is ever migrated. */
export const APPLICATION_ID = 0x4c696374;
/** The mark of ledgers of builds before the first release ("lict"). No migration leads from their tables to these (decision 0089). */
const UNRELEASED_APPLICATION_ID = 0x6c696374;
/** How long a statement waits for another process's transaction; those take milliseconds. */
export const BUSY_TIMEOUT_MS = 5_000;
const LOG_RETRY_MS = 5;
/** Pages of the write-ahead log before they are moved into the file: some 32 MB, so that bursts do not pay for it. */
const CHECKPOINT_PAGES = 4_000;
/** A log that a burst or a slow reader made longer than this is cut to it when it begins anew. */
const MAX_LOG_BYTES = 64 * 1_024 * 1_024;
/** Content pages are some kilobytes long: larger database pages mean fewer overflow chains. Only a new file takes it. */
const PAGE_BYTES = 8_192;
/** Negative: KiB. Enough to keep the upper index pages of millions of rows in memory. Twice as much made no run faster. */
const CACHE_KIB = 8 * 1_024;
/** Only the owner reads a ledger: it holds tokens, prices and paid content. */
const FILE_MODE = 0o600;
/** Rights of group and others. */
const OTHERS_MODE = 0o077;
const DIRECTORY_MODE = 0o700;

/**
 * Opens the file for writing, with what durability needs: a write-ahead log and one fsync per commit (`synchronous=FULL`).
 * @param access what the caller will do with it
 * @throws LicetError INSTALL_INCOMPLETE, LEDGER_UNWRITABLE, LEDGER_MISSING, LEDGER_CORRUPT, LEDGER_OLDER, LEDGER_LOCKED
 */
export function openConnection(path: string, access: LedgerAccess = "create"): Connection {
  if (access !== "create") {
    assertLedgerThere(path);
  }
  // Before a file is created: a driver that cannot be loaded must not leave an empty ledger, which would look like a lost one.
  loadDriver();
  preparePrivateFile(path, access);
  let db: Connection | undefined;
  try {
    db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    // Before anything is written: the journal's mode is kept in the file, and it may be another program's.
    assertLedgerFile(db, path);
    keepPrivate(path);
    db.pragma(`page_size = ${PAGE_BYTES}`);
    beginLog(db);
    db.pragma("synchronous = FULL");
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    db.pragma(`journal_size_limit = ${MAX_LOG_BYTES}`);
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

/** SQLite does not wait here for another process, which may make a ledger of the same new file at this moment, or read it. */
function beginLog(db: Connection): void {
  for (let waitedMs = 0; ; waitedMs += LOG_RETRY_MS) {
    try {
      db.pragma("journal_mode = WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || waitedMs >= BUSY_TIMEOUT_MS) {
        throw error;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOG_RETRY_MS);
    }
  }
}

/** @throws LicetError LEDGER_CORRUPT for another program's database, LEDGER_OLDER; an empty one will be a ledger */
export function assertLedgerFile(db: Connection, path: string): void {
  const isEmpty = db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  const applicationId = db.pragma("application_id", { simple: true });
  if (!isEmpty && applicationId === UNRELEASED_APPLICATION_ID) {
    throw new LicetError(
      "LEDGER_OLDER",
      `the ledger was written by a build of licet before its first release: ${path}`,
      {
        hint: "It was not touched. With that build, `licet report` what is due and `licet export` the documents; then set another ledger.path. What was spent does not count in the new ledger's budgets.",
        details: { path },
      },
    );
  }
  if (!isEmpty && applicationId !== APPLICATION_ID) {
    throw new LicetError("LEDGER_CORRUPT", `the file is a database, but not a ledger: ${path}`, {
      hint: "Check `ledger.path`: it names another program's database. It was not touched.",
      details: { path },
    });
  }
}

/** SQLite would open a file that it may not write for reading, without a word, and would give a new one everybody's rights. */
function preparePrivateFile(path: string, access: LedgerAccess): void {
  try {
    if (access === "create") {
      mkdirSync(dirname(path), { recursive: true, mode: DIRECTORY_MODE });
    }
    closeSync(openSync(path, access === "create" ? "a" : "r+", FILE_MODE));
  } catch (error) {
    const isFull = (error as NodeJS.ErrnoException).code === "ENOSPC";
    throw new LicetError(
      isFull ? "DISK_FULL" : "LEDGER_UNWRITABLE",
      `the ledger cannot be opened for writing: ${path}`,
      {
        hint: "Check `ledger.path`, the rights of its directory, and the free space on the disk.",
        details: { path },
        cause: error,
      },
    );
  }
}

/** Takes everybody else's rights away; SQLite gives -wal and -shm the mode of the file. Who does not own it cannot change that. */
function keepPrivate(path: string): void {
  const { mode } = statSync(path);
  if ((mode & OTHERS_MODE) === 0) {
    return;
  }
  try {
    chmodSync(path, mode & ~OTHERS_MODE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") {
      throw error;
    }
  }
}
