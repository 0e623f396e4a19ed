/** The directory of an export, and its subdirectories, which are never outside of it. */
import { lstat, mkdir, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { syncDirectory } from "../../ledger/sqlite/engine/sync-file.ts";
import { inTheWay, toExportError } from "./export-error.ts";

/** How many checked directories are remembered: enough for pages in order, whatever the site's size. */
const MAX_REMEMBERED = 10_000;

/**
 * Only the owner may read paid content, as in the ledger. An existing directory keeps its mode, because its owner chose it, and
 * the files in it are private anyway.
 */
const DIRECTORY_MODE = 0o700;

export interface ExportDirectory {
  /** Absolute, with symbolic links resolved, because the user may choose any place with --out. */
  readonly path: string;
  /**
   * Creates the directories of a file and returns the file's full path.
   * @param segments the last one is the file's name
   * @throws LicetError EXPORT_UNWRITABLE, also for a symbolic link on the way
   */
  prepare(segments: readonly string[]): Promise<string>;
  /** Brings the names of all files to the disk that were prepared and renamed. */
  sync(): void;
}

/** @throws LicetError EXPORT_UNWRITABLE */
export async function openExportDirectory(dir: string): Promise<ExportDirectory> {
  const unsynced = new Set<string>();
  const open = async (): Promise<string> => {
    const first = await mkdir(dir, { recursive: true, mode: DIRECTORY_MODE });
    for (let made = resolve(dir); first !== undefined && made.length >= first.length; made = dirname(made)) {
      unsynced.add(dirname(made));
    }
    return realpath(dir);
  };
  const path = await open().catch((error: unknown) => {
    throw toExportError(error, dir);
  });
  const remembered = new Set<string>();
  const sync = (): void => {
    for (const changed of unsynced) {
      try {
        syncDirectory(changed);
      } catch (error) {
        throw toExportError(error, changed);
      }
    }
    unsynced.clear();
  };
  return {
    path,
    prepare: async (segments) => {
      let current = path;
      for (const segment of segments.slice(0, -1)) {
        current = join(current, segment);
        if (!remembered.has(current)) {
          await makeDirectory(current);
          unsynced.add(dirname(current));
          if (remembered.size >= MAX_REMEMBERED) {
            remembered.clear();
          }
          remembered.add(current);
        }
      }
      if (unsynced.size >= MAX_REMEMBERED) {
        sync();
      }
      unsynced.add(current);
      return join(current, segments.at(-1) ?? "");
    },
    sync,
  };
}

/**
 * Creates one directory at a time and checks each with `lstat`, because a recursive `mkdir` would follow a symbolic link out of
 * the directory.
 */
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
