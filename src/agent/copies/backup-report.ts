/** What `agent.backup`, `agent.restore` and `agent.acceptRestored` take and return. */
import type { Violation } from "../../ledger/ledger-reports.ts";
import type { ActingOptions } from "../acts/acted-by.ts";

/** How far a copy is. `totalPages` are pages of the file, not of a site. */
export interface CopyProgressReport {
  readonly copiedPages: number;
  readonly totalPages: number;
}

/** How to copy. */
export interface CopyOptions {
  /** Of `backup`: replaces a file that is there. Of `restore`: moves the ledger that is there aside. @default false */
  readonly force?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: CopyProgressReport) => void) | undefined;
}

/** What the audit says of the copy. A damaged copy is never kept; other violations are those of the ledger itself. */
export interface CopyAudit {
  readonly ok: boolean;
  readonly violations: readonly Violation[];
}

/** `backup --json`. */
export interface BackupReport {
  readonly file: string;
  readonly bytes: number;
  /** ISO 8601. The copy contains all that was committed before. */
  readonly madeAt: string;
  readonly audit: CopyAudit;
}

/** `restore FILE --json`. */
export interface RestoreReport {
  readonly file: string;
  /** Where the ledger is: `ledger.path`. */
  readonly path: string;
  /** When the copy was made; the latest instant in it when licet did not make it. ISO 8601. */
  readonly madeAt: string;
  /** Where the ledger that was there is now. Null: there was none. */
  readonly movedTo: string | null;
  readonly audit: CopyAudit;
  readonly accepted: false;
}

/** How a restored copy is accepted. */
export interface AcceptOptions extends ActingOptions {
  /** Only says what the acceptance would mean. @default false */
  readonly dryRun?: boolean | undefined;
}

/** `restore --accept --json`: what the copy knows, and what a later ledger may have done since. */
export interface AcceptReport {
  readonly path: string;
  /** Whether the copy is accepted now. */
  readonly accepted: boolean;
  /** When the copy was made, ISO 8601. */
  readonly madeAt: string;
  readonly madeBy: string;
  readonly lastPurchaseAt: string | null;
  readonly lastReportAt: string | null;
  readonly purchases: { readonly reserved: number; readonly started: number; readonly inDoubt: number };
  /** Uses that the copy has not reported. The acceptance freezes them into reports. */
  readonly unreportedUses: number;
  /** Reports without an answer. */
  readonly openReports: number;
  /** Reports that wait for `licet resolve` by this acceptance. */
  readonly toReconcile: number;
  readonly unfinishedRuns: number;
}
