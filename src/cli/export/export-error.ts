import { fileErrorCode, LicetError } from "../../errors.ts";

/** Turns an error of the file system into an export error with a hint. Other errors are returned unchanged. */
export function toExportError(error: unknown, path: string): unknown {
  const code = fileErrorCode(error);
  if (code === null) {
    return error;
  }
  return new LicetError("EXPORT_UNWRITABLE", `${path} cannot be written (${code})`, {
    hint:
      code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG"
        ? "Free some disk space and export again: all documents are stored in the ledger."
        : "Name a directory that can be written with --out.",
    details: { path, code },
    cause: error,
  });
}

/** The error when the export's target exists and is of the wrong kind. */
export function inTheWay(path: string, what: string): LicetError {
  return new LicetError("EXPORT_UNWRITABLE", `${path} is ${what}`, {
    hint: "Move it away, or export to another directory.",
    details: { path },
  });
}
