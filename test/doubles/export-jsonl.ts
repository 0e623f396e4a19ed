import type { ExportDirectory } from "../../src/cli/export/export-directory.ts";
import { exportFile } from "../../src/cli/export/export-file.ts";
import type { StoredDocument } from "../../src/ledger/ledger-reports.ts";

const JSON_LINES = {
  name: "documents.jsonl",
  format: "jsonl",
  compression: null,
  writer: null,
  firstOfRange: null,
} as const;

export const exportJsonl = (
  directory: ExportDirectory,
  documents: AsyncIterable<StoredDocument>,
  signal: AbortSignal,
) => exportFile({ directory, ...JSON_LINES }, documents, signal);
