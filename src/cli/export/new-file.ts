/**
 * Creates a file that is either complete or absent: written under another name beside its place, flushed to disk, then renamed.
 * The temporary file is new (`wx`), so no existing file can be opened, and the rename replaces a symbolic link instead of
 * following it.
 */
import { createHash, randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { toExportError } from "./export-error.ts";

const BUFFER_BYTES = 262_144;
const NAME_BYTES = 6;
/** Only the owner may read paid content, as in the ledger. The rename gives this mode to the final file. */
const FILE_MODE = 0o600;

export interface NewFile {
  write(chunk: string | Uint8Array): Promise<void>;
  /** Moves the file to its place. @returns its size in bytes */
  finish(): Promise<number>;
  /** Deletes what was written. After `finish` it does nothing. */
  discard(): Promise<void>;
}

/**
 * @param writer the name of the only one who writes here at the moment. What it left at its last attempt, which was killed, is replaced.
 * Null: others may write here at the same time
 * @throws LicetError EXPORT_UNWRITABLE, as do its methods
 */
export async function createNewFile(path: string, writer: string | null = null): Promise<NewFile> {
  const temporary = join(dirname(path), `.licet-${nameOf(path, writer)}.tmp`);
  const guard = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error: unknown) => {
      throw toExportError(error, path);
    });
  if (writer !== null) {
    await guard(rm(temporary, { force: true }));
  }
  let handle: FileHandle | null = await guard(open(temporary, "wx", FILE_MODE));
  let buffered: string[] = [];
  let bufferedChars = 0;
  let bytes = 0;

  const append = async (to: FileHandle, chunk: Uint8Array): Promise<void> => {
    bytes += chunk.length;
    // Unlike `write`, `appendFile` always writes the whole chunk.
    await to.appendFile(chunk);
  };
  const flush = async (to: FileHandle): Promise<void> => {
    const chunk = Buffer.from(buffered.join(""), "utf8");
    buffered = [];
    bufferedChars = 0;
    await append(to, chunk);
  };

  return {
    write: async (chunk) => {
      if (handle === null) {
        return;
      }
      if (typeof chunk !== "string") {
        await guard(append(handle, chunk));
        return;
      }
      buffered.push(chunk);
      bufferedChars += chunk.length;
      if (bufferedChars >= BUFFER_BYTES) {
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

function nameOf(path: string, writer: string | null): string {
  const name =
    writer === null
      ? randomBytes(NAME_BYTES)
      : createHash("sha256")
          .update(`${writer}\n${basename(path)}`)
          .digest()
          .subarray(0, NAME_BYTES);
  return name.toString("hex");
}
