/** Whether a ledger lies at a path, looked at without making anything: a path that is mistyped must not begin a new life. */
import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { LicetError } from "../../../errors.ts";

/** SQLite takes a file of one byte for an empty one, too. */
const MAX_EMPTY_BYTES = 1;

export type LedgerPresence = "there" | "empty" | "missing";

/** @throws LicetError LEDGER_UNWRITABLE where the path cannot be looked at */
export function lookForLedger(path: string): LedgerPresence {
  try {
    const found = statSync(path);
    return found.isFile() && found.size <= MAX_EMPTY_BYTES ? "empty" : "there";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") {
      return "missing";
    }
    throw new LicetError("LEDGER_UNWRITABLE", `the ledger cannot be read (${code}): ${path}`, {
      hint: "Check `ledger.path` and the rights of its directories.",
      details: { path },
      cause: error,
    });
  }
}

/** @throws LicetError LEDGER_MISSING where there is no file, LEDGER_CORRUPT where it is empty */
export function assertLedgerThere(path: string): void {
  const presence = lookForLedger(path);
  if (presence === "missing") {
    throw new LicetError("LEDGER_MISSING", `there is no ledger: ${path}`, {
      hint: "Nothing was ever recorded there. Check `ledger.path`; only `licet run` creates a ledger.",
      details: { path },
    });
  }
  if (presence === "empty") {
    throw new LicetError("LEDGER_CORRUPT", `the ledger is empty: ${path}`, {
      hint: "Its content was lost, or nothing was ever recorded there. Check `ledger.path`, and restore the file from a backup.",
      details: { path },
    });
  }
}

/** Whether this process may write the file, and its write-ahead log beside it. */
export function isLedgerWritable(path: string): boolean {
  return isWritable(path) && isWritable(dirname(path));
}

/** Where a new ledger would lie: whether the nearest directory that is there lets this process make it. */
export function isLedgerMakeable(path: string): boolean {
  for (let directory = dirname(path); ; directory = dirname(directory)) {
    try {
      return statSync(directory).isDirectory() && isWritable(directory);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || directory === dirname(directory)) {
        return false;
      }
    }
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
