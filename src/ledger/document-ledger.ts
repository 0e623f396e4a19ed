/**
 * Documents in the order in which they were settled, and cursors over them. A document has a number; numbers only grow, also where content
 * comes late. A cursor is how far one reader has come, so that it gets each new document exactly once.
 */
import type { StoredDocument } from "./ledger-reports.ts";

/** Who reads with a cursor, and what the caller knows about other processes. */
export interface CursorReader {
  readonly name: string;
  readonly process: string;
  readonly now: number;
}

export interface CursorRequest extends CursorReader {
  /** Which documents the cursor reads, as text. It is written when the cursor is first used, and never changes. */
  readonly selection: string;
  /** So long the process counts as alive without a new sign. */
  readonly aliveMs: number;
  /** The process that the caller knows to have ended. Null: none. */
  readonly gone: string | null;
}

/** Fixed before it is read: documents after one number, up to another one. */
export interface CursorRange {
  readonly afterSeq: number;
  readonly throughSeq: number;
  /** Where an attempt that did not end was writing it. */
  readonly target: string;
}

export type CursorTaken =
  | { readonly kind: "taken"; readonly seq: number; readonly pending: CursorRange | null }
  /** Another process reads with it. */
  | { readonly kind: "alive"; readonly process: string }
  /** It is a cursor of another selection. */
  | { readonly kind: "other_selection"; readonly selection: string }
  /** It is further than the documents of this ledger. */
  | { readonly kind: "ahead"; readonly seq: number; readonly lastSeq: number };

export interface SettledDocument extends StoredDocument {
  readonly seq: number;
  /** Markdown was ordered beside the HTML and is not derived yet. */
  readonly isMarkdownPending: boolean;
}

export interface DocumentLedger {
  /** Takes a cursor for a process; a new one begins before the first document. Idempotent by process. */
  takeCursor(request: CursorRequest): Promise<CursorTaken>;
  /** Who has the cursor. Null: nobody, or there is no such cursor. */
  readCursorProcess(name: string): Promise<string | null>;
  /**
   * Fixes what a reader writes next: everything that is settled now, or what an earlier attempt fixed. Null: nothing is new, or another
   * process has taken the cursor. Idempotent.
   */
  fixRange(request: CursorReader & { readonly target: string; readonly aliveMs: number }): Promise<CursorRange | null>;
  /**
   * Moves the cursor forward, never back, and ends the range that is written up to there. Also for a process that has released it, while no
   * other one has it: what was stored was stored. @returns false when another process has the cursor
   */
  advanceCursor(request: CursorReader & { readonly seq: number; readonly aliveMs: number }): Promise<boolean>;
  /** Says that the process still reads. @returns false when another process has the cursor */
  renewCursor(request: CursorReader & { readonly aliveMs: number }): Promise<boolean>;
  /** Leaves the cursor to others. The fixed range stays. */
  releaseCursor(request: CursorReader): Promise<void>;
  /** The number of the newest document. 0: there is none. */
  readLastSettled(): Promise<number>;
  /**
   * Settled documents in order, after one number and up to another one. A version that was bought anew within the range or before it is left
   * out, but of one run all are read; so is content that was purged. An empty array means the end. @throws LicetError RUN_NOT_FOUND
   */
  readSettled(query: {
    readonly afterSeq: number;
    readonly throughSeq: number;
    readonly host: string | null;
    readonly runId: string | null;
    readonly limit: number;
  }): Promise<readonly SettledDocument[]>;
}
