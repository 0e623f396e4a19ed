/** `licet restore FILE`: puts a copy in the place of the ledger. The copy is marked, so that it buys nothing until a person accepts it. */
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { LicetError } from "../../../errors.ts";
import type { Violation } from "../../ledger-reports.ts";
import type { AuditQuery } from "../audit/audited.ts";
import { toLedgerError } from "../engine/sqlite-error.ts";
import { syncDirectory } from "../engine/sync-file.ts";
import { placeNew } from "./backup-ledger.ts";
import { type CopyProgress, copyLedgerFile, removeCopy, toWriteError } from "./copy-file.ts";
import { filesOfLedger } from "./database-files.ts";

const DIRECTORY_MODE = 0o700;
/** Of a copy that licet did not make. */
const UNKNOWN_MAKER = "unknown";

export interface RestoreRequest {
  /** The copy. It is read only. */
  readonly file: string;
  /** The place of the ledger. */
  readonly path: string;
  /** Moves the ledger that is there aside. */
  readonly force: boolean;
  readonly now: number;
  readonly query: AuditQuery;
  /** The name of the copy until it is complete, beside the ledger. */
  readonly temporaryName: string;
  /** Makes the name of what is moved aside unique. */
  readonly suffix: string;
  readonly onProgress: (progress: CopyProgress) => void;
  readonly signal: AbortSignal;
}

export interface RestoredLedger {
  readonly madeAt: number;
  /** Where the former ledger is now. Null: there was none. */
  readonly movedTo: string | null;
  readonly violations: readonly Violation[];
}

/**
 * @throws LicetError LEDGER_PRESENT where a ledger is there and `force` is not set, LEDGER_LOCKED while a process has it open, and what
 * `copyLedgerFile` throws
 */
export async function restoreLedger(request: RestoreRequest): Promise<RestoredLedger> {
  const { file, path, force, now, query, temporaryName, suffix, onProgress, signal } = request;
  assertPlace(path, force);
  makeDirectory(path);
  const partial = join(dirname(path), temporaryName);
  const { madeAt, violations } = await copyLedgerFile({
    from: file,
    to: partial,
    mark: ({ copy, latestAt }) =>
      copy !== null && copy.acceptedAt === null ? copy : { madeAt: latestAt ?? now, madeBy: UNKNOWN_MAKER },
    isHandedOver: true,
    query,
    onProgress,
    signal,
  });
  try {
    // A process may have begun meanwhile.
    assertPlace(path, force);
    const movedTo = moveAside(path, `${path}.replaced-${suffix}`);
    placeNew(partial, path);
    syncDirectory(dirname(path));
    return { madeAt, movedTo, violations };
  } catch (error) {
    removeCopy(partial);
    throw toWriteError(error, path);
  }
}

function assertPlace(path: string, force: boolean): void {
  const found = filesOfLedger(path).find((name) => existsSync(name));
  if (found === undefined) {
    return;
  }
  if (!force) {
    throw new LicetError("LEDGER_PRESENT", `a ledger is there already: ${found}`, {
      hint: "A copy knows less than this ledger. Only if it is lost or damaged: --force moves it aside, with its -wal file, and deletes nothing.",
      details: { path },
    });
  }
  assertUnused(path);
}

/**
 * A process that has a ledger open holds a lock on it as long as it has it, also while it writes nothing. Taking the whole file fails
 * then. When it succeeds, the write-ahead log goes into the file. A damaged file is not asked.
 */
function assertUnused(path: string): void {
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { fileMustExist: true, timeout: 0 });
    db.pragma("journal_mode = DELETE");
  } catch (error) {
    if (error instanceof Database.SqliteError && /^SQLITE_(?:BUSY|LOCKED)/.test(error.code)) {
      throw toLedgerError(error, path);
    }
  } finally {
    db?.close();
  }
}

/** @returns where the ledger is now */
function moveAside(path: string, aside: string): string | null {
  const there = filesOfLedger(path).filter((name) => existsSync(name));
  for (const name of there) {
    renameSync(name, `${aside}${name.slice(path.length)}`);
  }
  return there.length === 0 ? null : aside;
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: DIRECTORY_MODE });
  } catch (error) {
    throw toWriteError(error, path);
  }
}
