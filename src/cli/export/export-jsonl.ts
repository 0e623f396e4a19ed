import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import type { CliIo } from "../cli-io.ts";
import { writeOutput } from "../output.ts";
import type { ExportDirectory } from "./export-directory.ts";
import { exportLine } from "./export-line.ts";
import type { ExportOutcome } from "./export-outcome.ts";
import { createNewFile } from "./new-file.ts";
import { isOwnJsonLines, requireOwn } from "./own-file.ts";

const FILE_NAME = "documents.jsonl";

/**
 * Writes one file with one document on each line, exactly as stored in the ledger. It replaces an older file only when it is
 * complete.
 */
export async function exportJsonl(
  directory: ExportDirectory,
  documents: AsyncIterable<StoredDocument>,
  signal: AbortSignal,
): Promise<ExportOutcome> {
  const path = await directory.prepare([FILE_NAME]);
  await requireOwn(path, isOwnJsonLines);
  const file = await createNewFile(path);
  try {
    let count = 0;
    for await (const document of documents) {
      signal.throwIfAborted();
      await file.write(exportLine(document));
      count++;
    }
    return { documents: count, files: 1, bytes: await file.finish(), skipped: [], skippedCount: 0 };
  } finally {
    await file.discard();
  }
}

/** Writes the same lines to stdout. A reader that has seen enough (`| head`) ends it. */
export async function exportToStdout(
  io: Pick<CliIo, "stdout">,
  documents: AsyncIterable<StoredDocument>,
  signal: AbortSignal,
): Promise<ExportOutcome> {
  let count = 0;
  let bytes = 0;
  for await (const document of documents) {
    signal.throwIfAborted();
    const line = exportLine(document);
    await writeOutput(io, line);
    if (io.stdout.isClosed?.() === true) {
      break;
    }
    count++;
    bytes += Buffer.byteLength(line);
  }
  return { documents: count, files: 0, bytes, skipped: [], skippedCount: 0 };
}
