/** What `agent.findDocuments` and `agent.documentDetails` take and return. */
import type { Act } from "../../ledger/act-ledger.ts";
import type { FoundDocument } from "../../ledger/found-documents.ts";
import type { DocumentedVersion } from "../evidence/evidence-report.ts";

/** Which documents are looked for. Everything that is given must hold. */
export interface DocumentSearchOptions {
  /** The beginning of the page's address. Without `https://` it is put before. */
  readonly url?: string | undefined;
  /** A part of the title, in capital or small letters. */
  readonly title?: string | undefined;
  /** Only this site: its host. */
  readonly site?: string | undefined;
  /** Only this license: its type or its cuid. */
  readonly license?: string | undefined;
  /** The hash of the whole document, with or without `sha256:`. */
  readonly hash?: string | undefined;
  /** At most so many. @default 50 */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before, with the same search. */
  readonly cursor?: string | undefined;
}

/** `documents --json`: by address in the order of addresses, else the newest first. The newest version of each page alone. */
export interface DocumentSearchReport {
  readonly documents: readonly FoundDocument[];
  /** How many stored documents this look took. */
  readonly looked: number;
  /** Give it as `cursor` to look further: one look takes 3,000 documents, so it may find none although more follow. Null: it came to the end. */
  readonly nextCursor: string | null;
}

/** `documents ID --json`: one document without its texts, and its evidence. */
export interface DocumentDetails {
  readonly title: string | null;
  readonly author: string | null;
  readonly description: string | null;
  /** The caller's own name of the page, from the newest list that has one. */
  readonly key: string | null;
  /** How many characters its texts have. Null: it has no such text. */
  readonly markdownChars: number | null;
  readonly htmlChars: number | null;
  /** Why its HTML could not be converted. Null: it was, or there was nothing to convert. */
  readonly conversionFailure: string | null;
  readonly version: DocumentedVersion;
  /** What persons decided about the page, the newest first. */
  readonly acts: readonly Act[];
}
