/**
 * Creates a file that is either complete or absent: written under another name beside its place, flushed to disk, then renamed.
 * The rename replaces a symbolic link instead of following it.
 */
import { createHash } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { openTemporary, type TemporaryFile } from "./temporary-file.ts";

const BUFFER_BYTES = 262_144;
const WRITER_CHARS = 12;

export interface NewFile {
  write(chunk: string | Uint8Array): Promise<void>;
  /** Moves the file to its place. @returns its size in bytes */
  finish(): Promise<number>;
  /** Deletes what was written. After `finish` it does nothing. */
  discard(): Promise<void>;
}

export interface NewFileOptions {
  /** Turns an error of the file system into the caller's. It returns other errors unchanged. */
  readonly toError: (error: unknown, path: string) => unknown;
  /**
   * The name of the only one who writes here at the moment. What it left at its last attempt, which was killed, is replaced. Null: others may
   * write here at the same time. @default null
   */
  readonly writer?: string | null;
}

/** @throws what `toError` makes of a failure, as do its methods */
export async function createNewFile(path: string, { toError, writer = null }: NewFileOptions): Promise<NewFile> {
  const guard = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error: unknown) => {
      throw toError(error, path);
    });
  const temporary = await guard(openTemporary(dirname(path), writer === null ? undefined : idOf(path, writer)));
  let handle: TemporaryFile["handle"] | null = temporary.handle;
  let buffered: string[] = [];
  let bufferedChars = 0;
  let bytes = 0;

  const append = async (to: TemporaryFile["handle"], chunk: Uint8Array): Promise<void> => {
    bytes += chunk.length;
    // Unlike `write`, `appendFile` always writes the whole chunk.
    await to.appendFile(chunk);
  };
  const flush = async (to: TemporaryFile["handle"]): Promise<void> => {
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
        if (bufferedChars > 0) {
          await guard(flush(handle));
        }
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
        await guard(open.close().then(() => rename(temporary.path, path)));
      }
      return bytes;
    },
    discard: async () => {
      await handle?.close().catch(() => undefined);
      handle = null;
      await rm(temporary.path, { force: true });
    },
  };
}

function idOf(path: string, writer: string): string {
  return createHash("sha256")
    .update(`${writer}\n${basename(path)}`)
    .digest("hex")
    .slice(0, WRITER_CHARS);
}
