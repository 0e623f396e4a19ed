/** Looks for stored documents. Part of `LedgerReports`. */
import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { License } from "../rates/license.ts";
import type { DocumentRights } from "../rights/rights.ts";

/** What documents are looked for by. Null: not asked. */
export interface DocumentSearch {
  /** The beginning of the page's canonical URL. */
  readonly url: string | null;
  /** A part of the title, in capital or small letters. */
  readonly title: string | null;
  readonly host: string | null;
  /** A license type or a cuid. */
  readonly license: string | null;
  /** In hexadecimal, of all of the document. */
  readonly hash: string | null;
}

/** A stored document that was found, without its texts. */
export interface FoundDocument {
  /** The purchase that bought it: the id of the document. */
  readonly purchaseId: number;
  readonly url: string;
  readonly host: string;
  readonly title: string | null;
  /** Null for a page that was only indexed. */
  readonly license: License | null;
  /** Null for a page that was only indexed. */
  readonly priceMicros: Micros | null;
  readonly currency: Currency | null;
  /** When it was stored. */
  readonly boughtAt: number;
  /** `sha256:` and the hash in hexadecimal. */
  readonly hash: string;
  readonly policyName: string;
  readonly validUntilAt: number | null;
  readonly retentionMs: number | null;
  /** When the rights end under the policies of now. Null: they have no end. Absent where a ledger is read without a configuration. */
  readonly rights?: DocumentRights | null;
}

/** Documents that were found, and how far the search came. */
export interface DocumentsFound {
  readonly documents: readonly FoundDocument[];
  /** How many stored documents were looked at. */
  readonly looked: number;
  /** Where the search goes on. Null: it came to the end. */
  readonly next: string | null;
}

/** The forms of `next`: behind a page in the order of URLs, behind a document in the order of settlement, or of a site's stored pages. */
export const SEARCH_CURSOR = /^(?:u\d{1,15}|n\d{1,15}|h\d{1,15}|s-?\d{1,16}\.\d{1,15})$/;

export interface DocumentFinder {
  /**
   * Stored documents, the newest version of each page alone: by URL in the order of URLs, else the newest first. Looks at 3,000 documents at the most,
   * because titles and licenses have no index: each page would have to write it.
   */
  findDocuments(
    search: DocumentSearch & { readonly after: string | null; readonly limit: number },
  ): Promise<DocumentsFound>;
}
