/** The directory of an export, and directories below it that are really below it. */
import { lstat, mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { inTheWay, toExportError } from "./export-error.ts";

/** Checked directories that are remembered: enough for the neighbourhood, whatever the site's size. */
const MAX_REMEMBERED = 10_000;

/**
 * Only the owner reads what was paid for, as in the ledger. A directory that is there already keeps its rights: they are its owner's
 * decision, and the files in it are private all the same.
 */
const DIRECTORY_MODE = 0o700;

export interface ExportDirectory {
  /** Absolute, with symlinks resolved: the user may point --out wherever they like. */
  readonly path: string;
  /**
   * Makes the directories of a file below and gives the file's full path.
   * @param segments the last one is the file's name
   * @throws LicetError EXPORT_UNWRITABLE, also for a symlink on the way
   */
  prepare(segments: readonly string[]): Promise<string>;
}

/** @throws LicetError EXPORT_UNWRITABLE */
export async function openExportDirectory(dir: string): Promise<ExportDirectory> {
  const path = await mkdir(dir, { recursive: true, mode: DIRECTORY_MODE })
    .then(() => realpath(dir))
    .catch((error: unknown) => {
      throw toExportError(error, dir);
    });
  const remembered = new Set<string>();
  return {
    path,
    prepare: async (segments) => {
      let current = path;
      for (const segment of segments.slice(0, -1)) {
        current = join(current, segment);
        if (!remembered.has(current)) {
          await makeDirectory(current);
          if (remembered.size >= MAX_REMEMBERED) {
            remembered.clear();
          }
          remembered.add(current);
        }
      }
      return join(current, segments.at(-1) ?? "");
    },
  };
}

/** One at a time and looked at with `lstat`: a recursive `mkdir` would walk through a symlink and out. */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, DIRECTORY_MODE);
    return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw toExportError(error, path);
    }
  }
  const found = await lstat(path);
  if (found.isSymbolicLink()) {
    throw inTheWay(path, "a symbolic link, which an export does not follow");
  }
  if (!found.isDirectory()) {
    throw inTheWay(path, "not a directory");
  }
}
