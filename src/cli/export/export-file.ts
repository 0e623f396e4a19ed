import { createNewFile, type NewFile } from "../../agent/files/new-file.ts";
import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import { type Compression, writeTexts } from "./compression.ts";
import type { ExportDirectory } from "./export-directory.ts";
import { toExportError } from "./export-error.ts";
import { exportLine } from "./export-line.ts";
import type { ExportOutcome } from "./export-outcome.ts";
import type { ExportFormat } from "./export-place.ts";

import { type IsOwn, isOwnJsonLines, isOwnParquet, isSameRange, requireOwn } from "./own-file.ts";

export interface FileTarget {
  readonly directory: ExportDirectory;
  readonly name: string;
  readonly format: Exclude<ExportFormat, "markdown">;
  readonly compression: Compression | null;
  /** The only one who writes here, if that is so (new-file.ts). */
  readonly writer: string | null;
  /** Of a file that has one range for ever: its first document. Only an earlier attempt at the same range is replaced. Null: each export replaces the file. */
  readonly firstOfRange: StoredDocument | null;
}

const OTHER_DOCUMENTS = "a file of other documents, such as those of another ledger";

/** Writes all documents to one file. It replaces an older file only when it is complete. */
export async function exportFile(
  { directory, name, format, compression, writer, firstOfRange }: FileTarget,
  documents: AsyncIterable<StoredDocument>,
  signal: AbortSignal,
): Promise<ExportOutcome> {
  const isOwn: IsOwn = format === "jsonl" ? isOwnJsonLines(compression) : isOwnParquet;
  const path = await directory.prepare([name]);
  await requireOwn(path, isOwn);
  if (firstOfRange !== null) {
    await requireOwn(path, isSameRange(firstOfRange, { format, compression }), OTHER_DOCUMENTS);
  }
  const file = await createNewFile(path, { toError: toExportError, writer });
  try {
    const count = { documents: 0 };
    const counted = countEach(documents, count, signal);
    await (format === "jsonl" ? writeLines(file, counted, compression) : writeParquet(file, counted, compression));
    const bytes = await file.finish();
    directory.sync();
    return { documents: count.documents, files: 1, bytes, skipped: [], skippedCount: 0 };
  } finally {
    await file.discard();
  }
}

async function* countEach(
  documents: AsyncIterable<StoredDocument>,
  count: { documents: number },
  signal: AbortSignal,
): AsyncGenerator<StoredDocument> {
  for await (const document of documents) {
    signal.throwIfAborted();
    yield document;
    count.documents++;
  }
}

function writeLines(
  file: NewFile,
  documents: AsyncIterable<StoredDocument>,
  compression: Compression | null,
): Promise<void> {
  async function* lines() {
    for await (const document of documents) {
      yield exportLine(document);
    }
  }
  return writeTexts(file, lines(), compression);
}

async function writeParquet(
  file: NewFile,
  documents: AsyncIterable<StoredDocument>,
  compression: Compression | null,
): Promise<void> {
  // Only this format needs the library.
  const { createParquetWriter } = await import("./parquet-writer.ts");
  const writer = createParquetWriter(file, compression);
  for await (const document of documents) {
    await writer.write(document);
  }
  await writer.end();
}
