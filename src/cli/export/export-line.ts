import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import { formatMoney } from "../../money/format-money.ts";
import { toPrintedJson } from "../../printed-json.ts";

/** What both formats say of a document in the same spelling. */
export interface ExportedFacts {
  /** Such as `0.0125 USD`. Null when the page was only indexed. */
  readonly price: string | null;
  /** `sha256:` and the `contentHash`. */
  readonly hash: string;
}

export function exportedFacts({ priceMicros, currency, contentHash }: StoredDocument): ExportedFacts {
  return {
    price: priceMicros === null || currency === null ? null : formatMoney({ micros: priceMicros, currency }),
    hash: `sha256:${contentHash}`,
  };
}

/** One line of JSON: the document as stored in the ledger, and the facts. */
export function exportLine(document: StoredDocument): string {
  return `${toPrintedJson({ ...document, ...exportedFacts(document) })}\n`;
}
