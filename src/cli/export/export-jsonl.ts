import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import type { ExportDirectory } from "./export-directory.ts";
import type { ExportOutcome } from "./export-outcome.ts";
import { createNewFile } from "./new-file.ts";

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
  const file = await createNewFile(path);
  try {
    let count = 0;
    for await (const document of documents) {
      signal.throwIfAborted();
      await file.write(`${JSON.stringify(document)}\n`);
      count++;
    }
    return { documents: count, files: 1, bytes: await file.finish(), skipped: [], skippedCount: 0 };
  } finally {
    await file.discard();
  }
}
