/** Recognizes files of earlier exports. Only these are replaced: any other file belongs to somebody else. */
import { type FileHandle, lstat, open } from "node:fs/promises";
import { type Compression, METHODS } from "./compression.ts";
import { inTheWay, toExportError } from "./export-error.ts";

/** Front matter with long texts fits, and so does the first block of a compressed file. */
const HEAD_BYTES = 262_144;
/** The names of writer and schema are at the end of a Parquet file, after the places of all columns. */
const TAIL_BYTES = 4_096;

interface Ends {
  readonly head: Buffer;
  readonly tail: Buffer;
}
/** Whether the ends of a file show that an export wrote it. */
export type IsOwn = (ends: Ends) => boolean;

/** Earlier versions wrote `sha256:` before the hash. */
export const isOwnMarkdown: IsOwn = ({ head }) =>
  /^---\nurl: "[\s\S]*^contentHash: "(?:sha256:)?[0-9a-f]{64}"$/m.test(head.toString("utf8"));

const isLines = (head: Buffer): boolean =>
  head.length === 0 || /^\{"url":"[^"]*","host":"[^"]*","purchaseId":\d+,/.test(head.toString("utf8"));

export function isOwnJsonLines(compression: Compression | null): IsOwn {
  return ({ head }) => {
    if (compression === null) {
      return isLines(head);
    }
    try {
      return isLines(METHODS[compression].readHead(head));
    } catch {
      // Not compressed in this way.
      return false;
    }
  };
}

export const isOwnParquet: IsOwn = ({ head, tail }) =>
  head.toString("latin1", 0, 4) === "PAR1" && tail.includes(PARQUET_MAKER);
/** `created_by` of the Parquet files of an export. */
export const PARQUET_MAKER = "licet export";

/**
 * An empty file has nothing to lose, and a symbolic link is replaced without a change of its target.
 * @throws LicetError EXPORT_UNWRITABLE for a file that no export wrote
 */
export async function requireOwn(path: string, isOwn: IsOwn): Promise<void> {
  try {
    const found = await lstat(path);
    if (!found.isFile() || found.size === 0) {
      return;
    }
    const file = await open(path, "r");
    try {
      const head = await readAt(file, 0, HEAD_BYTES);
      const tail = await readAt(file, Math.max(0, found.size - TAIL_BYTES), TAIL_BYTES);
      if (isOwn({ head, tail })) {
        return;
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return;
    }
    throw toExportError(error, path);
  }
  throw inTheWay(path, "a file that no export of licet wrote");
}

async function readAt(file: FileHandle, position: number, maxBytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(maxBytes);
  const { bytesRead } = await file.read(buffer, 0, maxBytes, position);
  return buffer.subarray(0, bytesRead);
}
