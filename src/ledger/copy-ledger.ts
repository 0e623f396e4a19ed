/** What a ledger knows of being a copy. A copy that is used again does not know what the later ledger bought and reported. */

import type { ActedBy } from "../act/act.ts";

/** The mark of a copy: `licet backup` and `licet restore` write it. */
export interface LedgerCopy {
  /** What the ledger knew then, it knows. Epoch ms. */
  readonly madeAt: number;
  /** The process that made the copy (`host:pid`). `unknown`: licet did not make it. */
  readonly madeBy: string;
  /** When a person accepted the copy as the ledger. Null: it may not buy or report. */
  readonly acceptedAt: number | null;
}

/** What was open when the copy was made. A later ledger may have ended all of it. */
export interface CopyRisks {
  readonly copy: LedgerCopy;
  /** Epoch ms. Null: there is none. */
  readonly lastPurchaseAt: number | null;
  /** When the gateway last accepted a usage report. */
  readonly lastReportAt: number | null;
  readonly purchases: { readonly reserved: number; readonly started: number; readonly inDoubt: number };
  /** Uses that are in no report. */
  readonly unreportedUses: number;
  /** Reports without an answer. */
  readonly openReports: number;
  readonly unfinishedRuns: number;
}

export interface CopyLedger {
  /** One row by its key. Null: the ledger is not a copy. */
  readCopy(): Promise<LedgerCopy | null>;
  /** Null: the ledger is not a copy. @throws LicetError LEDGER_CORRUPT for a copy with a trigger, view, index or table that licet did not make */
  readCopyRisks(): Promise<CopyRisks | null>;
  /**
   * Records that a person accepted the copy as the ledger. Every report without an answer becomes `needs_reconcile`: only a person can
   * say whether the later ledger has sent it. The caller has frozen all unreported uses before. Idempotent: `accepted` is false
   * when there was nothing to accept.
   * @throws LicetError LEDGER_CORRUPT as `readCopyRisks`
   */
  acceptCopy(acceptance: {
    /** Who accepts it. Kept as an act. */
    readonly who?: ActedBy;
    readonly now: number;
  }): Promise<{ readonly accepted: boolean; readonly toReconcile: number }>;
}
