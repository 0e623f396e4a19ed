/** What the ledger says of its usage reports, for people: the list, and the receipts of one. */
import type { EvidenceReceipt } from "./evidence-ledger.ts";

/** `frozen`: it waits to be sent, or for its answer. `needs_reconcile`: nobody knows whether the gateway has it. */
export const REPORT_STATES = ["frozen", "settled", "rejected", "needs_reconcile"] as const;
/** How a usage report stands. */
export type ReportState = (typeof REPORT_STATES)[number];

/** One usage report. Instants are epoch ms. */
export interface ListedReport {
  readonly batchId: number;
  readonly idempotencyId: string;
  readonly state: ReportState;
  /** Its lines: pages with the times that they were used. */
  readonly entries: number;
  /** How often it was sent. */
  readonly attempts: number;
  /** Why it was refused, or what is not known of it. Null: there is nothing to add. */
  readonly detail: string | null;
  readonly createdAt: number;
  /** When an answer settled it. Null: none has. */
  readonly closedAt: number | null;
  /** When a receipt of each line came that says what the line says. Null: not so, and then each receipt is kept by itself. */
  readonly receiptsAsExpectedAt: number | null;
}

/** A receipt that says something else than its line, or that the gateway sent too much. */
export interface KeptReceipt extends EvidenceReceipt {
  readonly url: string;
}

export interface ReportReports {
  /**
   * The newest reports, the newest first. @param query.before only older ones than this number. Null: from the newest one
   * @param query.state only those in it. Open ones are read from their index
   */
  readReports(query: {
    readonly before: number | null;
    readonly state: ReportState | null;
    readonly limit: number;
  }): Promise<readonly ListedReport[]>;
  /** One report with its kept receipts, the oldest first. Null: there is no such report. */
  readReceipts(query: { readonly reportId: number; readonly limit: number }): Promise<{
    readonly report: ListedReport;
    readonly receipts: readonly KeptReceipt[];
  } | null>;
}
