import Database from "better-sqlite3";
import { type ErrorCode, LicetError } from "../../../errors.ts";

interface Cause {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

/** By the primary result code; better-sqlite3 gives the extended one (SQLITE_BUSY_SNAPSHOT), which begins with it. */
const CAUSES: readonly (readonly [prefix: string, cause: Cause])[] = [
  [
    "SQLITE_BUSY",
    {
      code: "LEDGER_LOCKED",
      message: "the ledger is locked by another process",
      hint: "Another licet or a SQLite tool is using the file. Wait until it ends, or end it, and try again.",
    },
  ],
  [
    "SQLITE_LOCKED",
    {
      code: "LEDGER_LOCKED",
      message: "the ledger is locked by another connection",
      hint: "Another licet is using the file. Wait until it ends, and try again.",
    },
  ],
  [
    "SQLITE_CORRUPT",
    {
      code: "LEDGER_CORRUPT",
      message: "the ledger is damaged",
      hint: "Keep the file as it is, and restore the ledger with its -wal file from a backup. `sqlite3 FILE .recover` reads what is left.",
    },
  ],
  [
    "SQLITE_NOTADB",
    {
      code: "LEDGER_CORRUPT",
      message: "the file is not a ledger",
      hint: "Check `ledger.path`: it names a file that SQLite did not write.",
    },
  ],
  [
    "SQLITE_FULL",
    {
      code: "DISK_FULL",
      message: "the disk of the ledger is full",
      hint: "Free some disk space and run again. Nothing that was committed is lost.",
    },
  ],
  [
    "SQLITE_IOERR",
    {
      code: "LEDGER_UNWRITABLE",
      message: "the disk of the ledger reports an error",
      hint: "Check the disk and its mount. Do not keep a ledger on a network file system.",
    },
  ],
  ...["SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH"].map(
    (prefix) =>
      [
        prefix,
        {
          code: "LEDGER_UNWRITABLE",
          message: "the ledger cannot be opened for writing",
          hint: "Check `ledger.path` and the rights of the file and its directory.",
        },
      ] as const,
  ),
];

/** What SQLite says of its surroundings as a LicetError; anything else (a bug, a failed CHECK) as it is. */
export function toLedgerError(error: unknown, path: string): unknown {
  const cause = causeOf(error);
  if (cause === undefined) {
    return error;
  }
  return new LicetError(cause.code, `${cause.message}: ${path}`, { hint: cause.hint, details: { path }, cause: error });
}

/** True when another connection keeps SQLite from what it was asked for. */
export function isBusy(error: unknown): boolean {
  return causeOf(error)?.code === "LEDGER_LOCKED";
}

/** True when the disk of the file, or of temporary files, is full. */
export function isFull(error: unknown): boolean {
  return causeOf(error)?.code === "DISK_FULL";
}

/** True when the error comes from the surroundings, so that another operation would meet it too. */
export function isEnvironmental(error: unknown): boolean {
  return causeOf(error) !== undefined;
}

function causeOf(error: unknown): Cause | undefined {
  if (!(error instanceof Database.SqliteError)) {
    return undefined;
  }
  return CAUSES.find(([prefix]) => error.code === prefix || error.code.startsWith(`${prefix}_`))?.[1];
}

/** A statement that cannot be prepared, or a step that cannot be taken: the tables are not those of the file's version. */
export function isSchemaFault(error: unknown): error is Error {
  return error instanceof Database.SqliteError && error.code === "SQLITE_ERROR";
}

export function toDamagedSchema(error: Error, path: string): LicetError {
  return new LicetError("LEDGER_CORRUPT", `the ledger's tables are damaged (${error.message}): ${path}`, {
    hint: "Keep the file as it is, and restore the ledger with its -wal file from a backup.",
    details: { path },
    cause: error,
  });
}
