/**
 * Creates a file that is either complete or absent: written under another name beside its place, flushed to disk, then renamed.
 * The temporary name is new (`wx`), so no existing file can be opened, and the rename replaces a symbolic link instead of
 * following it.
 */
import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { toExportError } from "./export-error.ts";

const BUFFER_BYTES = 262_144;
const RANDOM_BYTES = 6;
/** Only the owner may read paid content, as in the ledger. The rename gives this mode to the final file. */
const FILE_MODE = 0o600;

export interface NewFile {
  write(text: string): Promise<void>;
  /** Moves the file to its place. @returns its size in bytes */
  finish(): Promise<number>;
  /** Deletes what was written. After `finish` it does nothing. */
  discard(): Promise<void>;
}

/** @throws LicetError EXPORT_UNWRITABLE, as do its methods */
export async function createNewFile(path: string): Promise<NewFile> {
  const temporary = join(dirname(path), `.licet-${randomBytes(RANDOM_BYTES).toString("hex")}.tmp`);
  const guard = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error: unknown) => {
      throw toExportError(error, path);
    });
  let handle: FileHandle | null = await guard(open(temporary, "wx", FILE_MODE));
  let buffered: string[] = [];
  let bufferedChars = 0;
  let bytes = 0;

  const flush = async (to: FileHandle): Promise<void> => {
    const chunk = Buffer.from(buffered.join(""), "utf8");
    buffered = [];
    bufferedChars = 0;
    bytes += chunk.length;
    // Unlike `write`, `appendFile` always writes the whole chunk.
    await to.appendFile(chunk);
  };

  return {
    write: async (text) => {
      buffered.push(text);
      bufferedChars += text.length;
      if (bufferedChars >= BUFFER_BYTES && handle !== null) {
        await guard(flush(handle));
      }
    },
    finish: async () => {
      const open = handle;
      if (open !== null) {
        await guard(flush(open).then(() => open.sync()));
        handle = null;
        await guard(open.close().then(() => rename(temporary, path)));
      }
      return bytes;
    },
    discard: async () => {
      await handle?.close().catch(() => undefined);
      handle = null;
      await rm(temporary, { force: true });
    },
  };
}
