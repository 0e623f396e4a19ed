import { LicetError } from "../../errors.ts";

/** What the file system said of the export, as an error with a way out. Other errors stay as they are. */
export function toExportError(error: unknown, path: string): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (!(error instanceof Error) || typeof code !== "string" || (error as NodeJS.ErrnoException).syscall === undefined) {
    return error;
  }
  return new LicetError("EXPORT_UNWRITABLE", `${path} cannot be written (${code})`, {
    hint:
      code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG"
        ? "Make room and export again: what is held is in the ledger."
        : "Name a directory that can be written with --out.",
    details: { path, code },
    cause: error,
  });
}

/** Something stands where the export must write and is not what it should be. */
export function inTheWay(path: string, what: string): LicetError {
  return new LicetError("EXPORT_UNWRITABLE", `${path} is ${what}`, {
    hint: "Move it away, or export to another directory.",
    details: { path },
  });
}
