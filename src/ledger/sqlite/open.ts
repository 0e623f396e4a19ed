import Database from "better-sqlite3";
import { type Clock, systemClock } from "../../time/clock.ts";
import type { Ledger } from "../ledger.ts";
import type { LedgerAccess } from "../ledger-access.ts";
import { assertTables } from "./engine/assert-tables.ts";
import { type Connection, openConnection } from "./engine/connection.ts";
import { MIN_FREE_BYTES } from "./engine/disk-room.ts";
import { assertLedgerThere, isLedgerWritable } from "./engine/ledger-file.ts";
import { loadDriver } from "./engine/load-driver.ts";
import { loadMigrations, migrate } from "./engine/migrations.ts";
import { openReadOnly } from "./engine/read-only.ts";
import { isSchemaFault, toDamagedSchema, toLedgerError } from "./engine/sqlite-error.ts";
import { createLedgerCore } from "./ledger-core.ts";
import { createSqliteLedger } from "./sqlite-ledger.ts";

export interface SqliteLedgerOptions {
  /** The file. `-wal` and `-shm` lie beside it. */
  readonly path: string;
  /** @default "create" */
  readonly access?: LedgerAccess;
  /** Texts of content are written as zstd. What was written before stays as it is, and is read either way. @default false */
  readonly compress?: boolean;
  /** By which a group of writes waits for company. @default the machine's clock */
  readonly clock?: Clock;
  /** In a thread of its own, by the machine's clock: for a run, whose pages must not wait for the disk. @default false */
  readonly inThread?: boolean;
}

/**
 * Opens a ledger and brings its schema up to date.
 * @throws LicetError INSTALL_INCOMPLETE, LEDGER_MISSING, LEDGER_UNWRITABLE, LEDGER_LOCKED, LEDGER_CORRUPT, LEDGER_OLDER, LEDGER_NEWER, DISK_FULL
 */
export async function openSqliteLedger(options: SqliteLedgerOptions): Promise<Ledger> {
  const { path, access = "create", clock = systemClock, inThread = false, compress = false } = options;
  if (inThread) {
    const { openInThread } = await import("./thread/open-in-thread.ts");
    return openInThread({ path, access, compress });
  }
  if (access === "read") {
    assertLedgerThere(path);
    if (!isLedgerWritable(path)) {
      const { db, release } = openReadOnly(path);
      return openOver(db, { path, clock, release });
    }
  }
  const db = openConnection(path, access);
  return openOver(db, { path, clock, compress, release: () => {} });
}

/** A ledger in memory, for what must leave nothing behind: a plan where no ledger is yet. */
export async function openMemoryLedger(clock: Clock = systemClock): Promise<Ledger> {
  loadDriver();
  return openOver(new Database(":memory:"), { path: ":memory:", clock, release: () => {} });
}

interface Place {
  readonly path: string;
  readonly clock: Clock;
  readonly compress?: boolean;
  /** Called when the ledger is closed, or cannot be opened. */
  readonly release: () => void;
}

function openOver(db: Connection, { path, clock, compress, release }: Place): Ledger {
  try {
    const migrations = loadMigrations();
    migrate(db, migrations, path);
    assertTables(db, migrations, path);
    const ledger = createSqliteLedger(createLedgerCore(db, path, clock, MIN_FREE_BYTES, compress));
    return {
      ...ledger,
      close: async () => {
        await ledger.close();
        release();
      },
    };
  } catch (error) {
    db.close();
    release();
    throw isSchemaFault(error) ? toDamagedSchema(error, path) : toLedgerError(error, path);
  }
}
