/** `licet backup`: a complete copy of the ledger in one file, also while other processes write the ledger. */
import { type BigIntStats, linkSync, lstatSync, realpathSync, renameSync, rmSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { LicetError } from "../../../errors.ts";
import type { Violation } from "../../ledger-reports.ts";
import type { AuditQuery } from "../audit/audited.ts";
import { syncDirectory } from "../engine/sync-file.ts";
import { type CopyProgress, copyLedgerFile, removeCopy, toWriteError } from "./copy-file.ts";
import { filesOfDatabase } from "./database-files.ts";

export interface BackupRequest {
  /** The ledger. */
  readonly path: string;
  /** The backup. */
  readonly file: string;
  /** Replaces a file that is there. */
  readonly force: boolean;
  readonly madeAt: number;
  readonly madeBy: string;
  readonly query: AuditQuery;
  /** The name of the copy until it is complete, beside the backup. */
  readonly temporaryName: string;
  readonly onProgress: (progress: CopyProgress) => void;
  readonly signal: AbortSignal;
}

export interface LedgerBackup {
  readonly bytes: number;
  readonly violations: readonly Violation[];
}

/**
 * Writes the copy beside its final name and renames it when it is complete and audited. A copy that breaks promises of the design is
 * kept, because the ledger breaks them too; a damaged one is not.
 * @throws LicetError BACKUP_UNWRITABLE, USAGE_INVALID where the file is the ledger itself, and what `copyLedgerFile` throws
 */
export async function backupLedger(request: BackupRequest): Promise<LedgerBackup> {
  const { path, file, force, madeAt, madeBy, query, temporaryName, onProgress, signal } = request;
  assertTarget(path, file, force);
  const partial = join(dirname(file), temporaryName);
  const { violations } = await copyLedgerFile({
    from: path,
    to: partial,
    mark: () => ({ madeAt, madeBy }),
    isHandedOver: false,
    query,
    onProgress,
    signal,
  });
  try {
    // Somebody may have made the file meanwhile.
    assertTarget(path, file, force);
    if (force) {
      renameSync(partial, file);
    } else {
      placeNew(partial, file);
    }
    syncDirectory(dirname(file));
  } catch (error) {
    removeCopy(partial);
    throw toWriteError(error, file);
  }
  return { bytes: statSync(file).size, violations };
}

/** What file systems without hard links answer: FAT, and some network mounts. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** Fails where the name is taken, which a rename does not. Where no hard link can be made, the caller has looked just before. */
export function placeNew(from: string, to: string): void {
  try {
    linkSync(from, to);
    rmSync(from);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? "")) {
      throw error;
    }
    renameSync(from, to);
  }
}

function assertTarget(path: string, file: string, force: boolean): void {
  if (isLedger(path, file)) {
    throw new LicetError("USAGE_INVALID", `the backup would replace the ledger itself: ${file}`, {
      hint: "name another file",
    });
  }
  const found = lookAt(file);
  if (found === null) {
    return;
  }
  if (!found.isFile()) {
    const what = found.isSymbolicLink() ? "a symbolic link" : found.isDirectory() ? "a directory" : "not a file";
    throw new LicetError("BACKUP_UNWRITABLE", `the backup cannot be written: this is ${what}: ${file}`, {
      hint: "Name a file that is not there yet, in a directory that is.",
      details: { path: file },
    });
  }
  if (!force) {
    throw new LicetError("BACKUP_UNWRITABLE", `the file is there already: ${file}`, {
      hint: "Name another file, or use --force to replace it when the new backup is complete.",
      details: { path: file },
    });
  }
}

/** By name, also where the companion is not there now, and by inode, for another name of the same file. */
function isLedger(path: string, file: string): boolean {
  if (filesOfDatabase(realName(path)).includes(realName(file))) {
    return true;
  }
  const target = statOf(file);
  return (
    target !== null &&
    filesOfDatabase(path).some((name) => {
      const own = statOf(name);
      return own !== null && own.dev === target.dev && own.ino === target.ino;
    })
  );
}

function realName(file: string): string {
  try {
    return join(realpathSync(dirname(resolve(file))), basename(file));
  } catch {
    return resolve(file);
  }
}

function statOf(file: string): BigIntStats | null {
  return statSync(file, { bigint: true, throwIfNoEntry: false }) ?? null;
}

function lookAt(file: string): Stats | null {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    throw toWriteError(error, file);
  }
}
