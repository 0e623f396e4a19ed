import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import { toPrintedJson } from "../../printed-json.ts";

/** One line of JSON: the document as stored in the ledger, and its hash. */
export function exportLine(document: StoredDocument): string {
  return `${toPrintedJson({ ...document, hash: hashOf(document) })}\n`;
}

/** The `contentHash` with its algorithm, as each format has it. */
export function hashOf({ contentHash }: StoredDocument): string {
  return `sha256:${contentHash}`;
}
