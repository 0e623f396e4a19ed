/** Recognizes files of earlier exports. Only these are replaced: any other file belongs to somebody else. */
import { type FileHandle, lstat, open } from "node:fs/promises";
import type { StoredDocument } from "../../ledger/ledger-reports.ts";
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

/**
 * The first document of a file, as it begins its line: of this purchase in this run, which no other ledger has. Parquet names it beside the maker.
 * Two files of a range with the same first document have the same documents.
 */
export function firstOf({ url, host, purchaseId, purchaseUrl, runId }: StoredDocument): string {
  return JSON.stringify({ url, host, purchaseId, purchaseUrl, runId }).slice(0, -1);
}

export const isOwnMarkdown: IsOwn = ({ head }) =>
  /^---\nurl: "[\s\S]*^contentHash: "[0-9a-f]{64}"$/m.test(head.toString("utf8"));

/** Whether the text of a file is that of an export. */
type IsLines = (text: string) => boolean;

const isLines: IsLines = (text) => text.length === 0 || /^\{"url":"[^"]*","host":"[^"]*","purchaseId":\d+,/.test(text);

export function isOwnJsonLines(compression: Compression | null, isExported: IsLines = isLines): IsOwn {
  return ({ head }) => {
    if (compression === null) {
      return isExported(head.toString("utf8"));
    }
    try {
      return isExported(METHODS[compression].readHead(head).toString("utf8"));
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
/** The name of the metadata that name the first document. */
export const PARQUET_FIRST = "licet.first";

/** A file of a range that begins with this document: an earlier attempt to write the same range. */
export function isSameRange(
  first: StoredDocument,
  { format, compression }: { readonly format: "jsonl" | "parquet"; readonly compression: Compression | null },
): IsOwn {
  const begin = firstOf(first);
  return format === "jsonl"
    ? isOwnJsonLines(compression, (text) => text.startsWith(begin) || text.length === 0)
    : (ends) => isOwnParquet(ends) && ends.tail.includes(begin);
}

/**
 * An empty file has nothing to lose, and a symbolic link is replaced without a change of its target.
 * @throws LicetError EXPORT_UNWRITABLE for a file that no export wrote
 */
export async function requireOwn(
  path: string,
  isOwn: IsOwn,
  otherwise = "a file that no export of licet wrote",
): Promise<void> {
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
  throw inTheWay(path, otherwise);
}

async function readAt(file: FileHandle, position: number, maxBytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(maxBytes);
  const { bytesRead } = await file.read(buffer, 0, maxBytes, position);
  return buffer.subarray(0, bytesRead);
}
