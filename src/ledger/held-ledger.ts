/** The stored version of a page, read at once for a fetch. */
import type { StoredDocument } from "./ledger-reports.ts";

/** A stored version with what decides whether its text may still be used. */
export interface HeldPage {
  /** With its texts. The texts of a version that was purged are null. */
  readonly document: StoredDocument;
  readonly policyName: string;
  /** Until when the license is valid, epoch ms. Null: the gateway named no end. */
  readonly validUntilAt: number | null;
  /** The policy's `retention` at the purchase, ms. Null: none. */
  readonly retentionMs: number | null;
  /** When its texts were purged. Null: they are there. */
  readonly purgedAt: number | null;
}

export interface HeldLedger {
  /**
   * The stored version of each of these pages that has one. Reads a few rows for each page by their keys, and loads no reports: a
   * page that is held is answered at once.
   * @param query.urls canonical
   */
  findHeld(query: { readonly urls: readonly string[] }): Promise<readonly HeldPage[]>;
}
