/**
 * Copies a ledger that other processes write. SQLite's backup begins anew whenever another process commits, so under steady writing it
 * never ends. Within a read transaction it reads one snapshot, ends in one pass, and blocks nobody: only the write-ahead log grows,
 * by what is written meanwhile (docs/decisions/0039-backup-and-restore.md has the measurements).
 */
import { closeSync, openSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import { fileErrorCode, LicetError } from "../../../errors.ts";
import type { LedgerCopy } from "../../copy-ledger.ts";
import type { Violation } from "../../ledger-reports.ts";
import { auditLedger } from "../audit/audit-ledger.ts";
import type { AuditQuery } from "../audit/audited.ts";
import { assertLedgerFile, type Connection } from "../engine/connection.ts";
import { assertOwnSchema, compareSchema } from "../engine/expected-schema.ts";
import { assertLedgerThere } from "../engine/ledger-file.ts";
import { loadDriver } from "../engine/load-driver.ts";
import { loadMigrations, migrate } from "../engine/migrations.ts";
import { openReadOnly } from "../engine/read-only.ts";
import { toLedgerError } from "../engine/sqlite-error.ts";
import { syncFile } from "../engine/sync-file.ts";
import { filesOfDatabase } from "./database-files.ts";

/** Some 16 MB: long enough to copy fast, short enough to answer Ctrl-C. */
const PAGES_PER_STEP = 2_000;
/** For the audit of the copy, in KiB. */
const CACHE_KIB = 64 * 1_024;
const FILE_MODE = 0o600;
/** Promise 0 is the file itself. */
const FILE_PROMISE = 0;

export interface CopyProgress {
  readonly copiedPages: number;
  readonly totalPages: number;
}

export interface CopyRequest {
  /** The ledger to copy. */
  readonly from: string;
  /** A file that is not there yet. It is removed again when the copy fails. */
  readonly to: string;
  /** The mark of the copy, chosen when its content is known. @param known the mark that was copied, and the latest instant of the ledger */
  readonly mark: (known: {
    readonly copy: LedgerCopy | null;
    readonly latestAt: number | null;
  }) => Pick<LedgerCopy, "madeAt" | "madeBy">;
  /** Somebody handed the file over: what licet did not make is refused. Otherwise the audit names it, so that there is a backup. */
  readonly isHandedOver: boolean;
  readonly query: AuditQuery;
  readonly onProgress: (progress: CopyProgress) => void;
  readonly signal: AbortSignal;
}

export interface CopiedLedger {
  readonly madeAt: number;
  /** What the audit of the copy says. */
  readonly violations: readonly Violation[];
}

/**
 * Copies, marks, syncs to the disk, and audits the copy.
 * @throws LicetError LEDGER_MISSING, LEDGER_CORRUPT (also for a copy whose file is damaged), LEDGER_LOCKED, LEDGER_OLDER, LEDGER_NEWER, DISK_FULL,
 * BACKUP_UNWRITABLE, INTERRUPTED
 */
export async function copyLedgerFile(request: CopyRequest): Promise<CopiedLedger> {
  const { from, to } = request;
  assertLedgerThere(from);
  loadDriver();
  makePrivateFile(to);
  try {
    await copyPages(request);
    const madeAt = markCopy(request);
    syncFile(to);
    const { violations, damage } = auditCopy(request);
    if (damage !== undefined) {
      throw new LicetError("LEDGER_CORRUPT", `the copy is damaged (${damage.detail}): ${from}`, {
        hint: "Run `licet audit` on it. No copy was kept. Keep older backups until you know since when it is damaged.",
        details: { path: from },
      });
    }
    return { madeAt, violations };
  } catch (error) {
    removeCopy(to);
    throw error;
  }
}

/** With what SQLite may have made beside it. */
export function removeCopy(file: string): void {
  for (const name of filesOfDatabase(file)) {
    rmSync(name, { force: true });
  }
}

/** @throws LicetError BACKUP_UNWRITABLE, DISK_FULL */
export function toWriteError(error: unknown, file: string): unknown {
  const code =
    error instanceof Database.SqliteError
      ? (/^SQLITE_(?:FULL|IOERR|CANTOPEN|READONLY|PERM)/.exec(error.code)?.[0] ?? null)
      : fileErrorCode(error);
  if (code === null) {
    return error;
  }
  if (code === "SQLITE_FULL" || code === "ENOSPC" || code === "EDQUOT") {
    return new LicetError("DISK_FULL", `the disk has no room for the copy: ${file}`, {
      hint: "Free some disk space, or name a file on another disk. The ledger was not changed.",
      details: { path: file },
      cause: error,
    });
  }
  return new LicetError("BACKUP_UNWRITABLE", `the copy cannot be written (${code}): ${file}`, {
    hint: "Check the directory and its rights. The ledger was not changed.",
    details: { path: file, code },
    cause: error,
  });
}

function makePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, "wx", FILE_MODE));
  } catch (error) {
    throw toWriteError(error, file);
  }
}

async function copyPages({ from, to, onProgress, signal }: CopyRequest): Promise<void> {
  const { db, release } = openSource(from);
  try {
    db.exec("BEGIN");
    // The first statement takes the snapshot.
    db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get();
    await db.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        if (signal.aborted) {
          throw new LicetError("INTERRUPTED", "the copy was interrupted; nothing was left behind", {
            hint: "Start it again.",
          });
        }
        onProgress({ copiedPages: totalPages - remainingPages, totalPages });
        return PAGES_PER_STEP;
      },
    });
  } catch (error) {
    throw toLedgerError(toWriteError(error, to), from);
  } finally {
    db.close();
    release();
  }
}

/** Reads the file as it is: a ledger of an older licet is brought up to date in the copy alone. */
function openSource(path: string): { readonly db: Connection; readonly release: () => void } {
  let db: Connection | undefined;
  try {
    db = new Database(path, { readonly: true, fileMustExist: true });
    assertLedgerFile(db, path);
    return { db, release: () => {} };
  } catch (error) {
    db?.close();
    if (error instanceof Database.SqliteError && /^SQLITE_(?:CANTOPEN|READONLY)/.test(error.code)) {
      return openReadOnly(path);
    }
    throw toLedgerError(error, path);
  }
}

/** Leaves one file, without a write-ahead log. Frees the leases of the processes that have the ledger: none of them has the copy. */
function markCopy({ from, to, mark, isHandedOver }: CopyRequest): number {
  const db = new Database(to);
  try {
    if (isHandedOver) {
      assertOwnSchema(db, from);
    }
    db.pragma("journal_mode = DELETE");
    db.pragma("synchronous = FULL");
    db.pragma("foreign_keys = OFF");
    db.pragma("trusted_schema = OFF");
    migrate(db, loadMigrations(), from);
    return db
      .transaction(() => {
        const { madeAt, madeBy } = mark({ copy: selectCopy(db), latestAt: selectGreatestInstant(db) });
        db.prepare(
          `INSERT INTO ledger_copy (id, made_at, made_by, accepted_at) VALUES (1, ?, ?, NULL)
           ON CONFLICT (id) DO UPDATE SET made_at = excluded.made_at, made_by = excluded.made_by, accepted_at = NULL`,
        ).run(madeAt, madeBy);
        db.exec("UPDATE flusher SET expires_at = NULL; UPDATE service SET expires_at = NULL");
        return madeAt;
      })
      .immediate();
  } catch (error) {
    throw toLedgerError(toWriteError(error, to), from);
  } finally {
    db.close();
  }
}

function selectCopy(db: Connection): LedgerCopy | null {
  return (
    db
      .prepare<[], LedgerCopy>(
        "SELECT made_at AS madeAt, made_by AS madeBy, accepted_at AS acceptedAt FROM ledger_copy WHERE id = 1",
      )
      .get() ?? null
  );
}

/** The greatest instant of all rows, unlike the newest one that a run begins after (`runs/latest-instant.ts`): nothing in the copy is later. */
function selectGreatestInstant(db: Connection): number | null {
  return (
    db
      .prepare<[], number | null>(
        `SELECT max(at) FROM (
         SELECT max(max(started_at, coalesce(resumed_at, 0), coalesce(ended_at, 0))) AS at FROM run
         UNION ALL SELECT max(max(reserved_at, coalesce(ended_at, 0))) FROM purchase)`,
      )
      .pluck()
      .get() ?? null
  );
}

/** Damage is a violation of the file itself, but for what somebody added. */
function auditCopy({ to, query }: CopyRequest): {
  readonly violations: readonly Violation[];
  readonly damage: Violation | undefined;
} {
  const db = new Database(to, { readonly: true, fileMustExist: true });
  try {
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.pragma("temp_store = MEMORY");
    const { violations } = auditLedger(db, query, () => []);
    const added = new Set(compareSchema(db).flatMap(({ kind, detail }) => (kind === "foreign" ? [detail] : [])));
    const damage = violations.find(({ promise, detail }) => promise === FILE_PROMISE && !added.has(detail));
    return { violations, damage };
  } finally {
    db.close();
  }
}
