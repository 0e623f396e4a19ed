import Database from "better-sqlite3";
import { LicetError } from "../../errors.ts";
import { type Clock, systemClock } from "../../time/clock.ts";
import type { Ledger } from "../ledger.ts";
import { openConnection } from "./connection.ts";
import { createLedgerCore } from "./ledger-core.ts";
import { loadMigrations, migrate } from "./migrations.ts";
import { toLedgerError } from "./sqlite-error.ts";
import { createSqliteLedger } from "./sqlite-ledger.ts";

export interface SqliteLedgerOptions {
  /** The file; made with its directory when it does not exist. `-wal` and `-shm` lie beside it. */
  readonly path: string;
  /** By which a group of writes waits for company. @default the machine's clock */
  readonly clock?: Clock;
}

/**
 * Opens a ledger and brings its schema up to date.
 * @throws LicetError LEDGER_UNWRITABLE, LEDGER_LOCKED, LEDGER_CORRUPT, LEDGER_NEWER, DISK_FULL
 */
export async function openSqliteLedger({ path, clock = systemClock }: SqliteLedgerOptions): Promise<Ledger> {
  const db = openConnection(path);
  try {
    migrate(db, loadMigrations(), path);
    return createSqliteLedger(createLedgerCore(db, path, clock));
  } catch (error) {
    db.close();
    throw isSchemaFault(error) ? toDamagedSchema(error, path) : toLedgerError(error, path);
  }
}

/** A statement that cannot be prepared, or a step that cannot be taken: the tables are not those of the file's version. */
function isSchemaFault(error: unknown): error is Error {
  return error instanceof Database.SqliteError && error.code === "SQLITE_ERROR";
}

function toDamagedSchema(error: Error, path: string): LicetError {
  return new LicetError("LEDGER_CORRUPT", `the ledger's tables are damaged (${error.message}): ${path}`, {
    hint: "Keep the file as it is, and restore the ledger with its -wal file from a backup.",
    details: { path },
    cause: error,
  });
}
