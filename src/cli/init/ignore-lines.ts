import { readFile, writeFile } from "node:fs/promises";
import { LicetError } from "../../errors.ts";

/** What must not be committed, with other ways to write it that ignore it too. */
const IGNORED = [
  [".env", "/.env", ".env*", "*.env"],
  ["data/", "/data/", "data", "/data", "data/*", "/data/*"],
] as const;

export interface IgnoredLines {
  readonly isNew: boolean;
  /** The lines that the file did not have. */
  readonly added: readonly string[];
}

/**
 * Makes git ignore the secrets and the ledger: writes a `.gitignore`, or adds to an existing one what it does not have.
 * @throws LicetError USAGE_INVALID for a file that cannot be read or written
 */
export async function ignoreLines(file: string): Promise<IgnoredLines> {
  try {
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") {
        return null;
      }
      throw error;
    });
    const lines = (text ?? "").split(/\r?\n/).map((line) => line.trim());
    const added = IGNORED.filter((spellings) => !spellings.some((line) => lines.includes(line))).map(([line]) => line);
    if (added.length > 0) {
      const end = text?.includes("\r\n") ? "\r\n" : "\n";
      const before = text === null || text === "" || text.endsWith("\n") ? "" : end;
      await writeFile(file, before + added.map((line) => line + end).join(""), { flag: "a" });
    }
    return { isNew: text === null, added };
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    throw new LicetError("USAGE_INVALID", `cannot add to ${file} (${code})`, {
      hint: "The configuration was written. Keep .env and data/ out of version control yourself.",
      details: { path: file, code },
      cause: error,
    });
  }
}
