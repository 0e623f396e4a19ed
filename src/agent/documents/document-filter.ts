import type { StoredDocument } from "../../ledger/ledger-reports.ts";

/** Which stored documents are read. Several conditions must all be met. */
export interface DocumentFilter {
  /** Only documents of this site. */
  readonly site?: string | undefined;
  /** Another name of `site`. */
  readonly host?: string | undefined;
  /**
   * Only documents that were stored at this instant or later: a `Date`, epoch ms, or ISO 8601 (`"2026-11-22"`, `"2026-11-22T06:00:00Z"`;
   * UTC where nothing else is said). The id of a run (`"run_…"`) is the instant at which the run began.
   */
  readonly since?: Date | number | string | undefined;
  /**
   * Only what this run bought, by its id: each document as the run bought it, also where a newer version is stored by now.
   * @throws LicetError RUN_NOT_FOUND
   */
  readonly run?: string | undefined;
  /** Derives Markdown for pages that were bought as HTML only. The Markdown is not stored. @default false */
  readonly deriveMarkdown?: boolean | undefined;
}

/** Which documents a cursor reads. A cursor keeps its `site` and `run` from its first use on. */
export interface CursorFilter extends Pick<DocumentFilter, "site" | "run" | "deriveMarkdown"> {
  /** The name of the cursor: one for each reader, such as `"vector-store"`. A new cursor begins with the first document. */
  readonly cursor: string;
  /**
   * The clock is right, although it differs from the gateway's or is far ahead of the ledger: documents whose rights ended are passed.
   * @throws LicetError CLOCK_UNSURE where it is false and such a document comes @default false
   */
  readonly trustClock?: boolean | undefined;
}

/** A document that a cursor gives until it is acknowledged. */
export interface DeliveredDocument extends StoredDocument {
  /**
   * Says that the reader has stored the document. The cursor passes a document when this one and all before it are acknowledged. When the
   * promise resolves, that is on disk. Calls may overlap and come in any order, also after the loop. A second call changes nothing.
   * @throws LicetError CURSOR_IN_USE when another process reads with the cursor by now
   */
  ack(): Promise<void>;
}

/** What `agent.documentRange` takes. */
export interface RangeFilter extends CursorFilter {
  /** Where the documents are written, as text. An attempt that did not end is repeated with the same target only. */
  readonly target: string;
}

/**
 * Documents of a cursor, fixed before they are read. After a crash the next call of `documentRange` returns the same range: a receiver that
 * names what it writes after the range, and replaces it, has each document exactly once.
 */
export interface DocumentRange {
  /** The documents are numbered in the order in which they were settled: those of the range come after this number … */
  readonly after: number;
  /** … up to this one. */
  readonly through: number;
  /** Whether an earlier attempt ended before `done()`. */
  readonly isRepeated: boolean;
  /** In order of settlement. The same documents each time, but for content that was purged in between. */
  documents(): AsyncIterableIterator<StoredDocument>;
  /** Moves the cursor behind the range, when everything is stored. @throws LicetError CURSOR_IN_USE */
  done(): Promise<void>;
  /** Leaves the cursor to others. Without `done()` before, the next call returns the same range. */
  close(): Promise<void>;
}
