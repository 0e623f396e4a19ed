/** What `agent.usageReports` and `agent.usageReport` take and return. */
import type { KeptReceipt, ListedReport, ReportState } from "../../ledger/report-reports.ts";

/** Which usage reports are listed. */
export interface UsageReportsFilter {
  /** Only reports in this state. */
  readonly state?: ReportState | undefined;
  /** At most so many. @default 50 */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before, with the same filter. @default from the newest report */
  readonly cursor?: string | undefined;
}

/** `reports --json`: the newest reports first. */
export interface UsageReportList {
  readonly reports: readonly ListedReport[];
  /** Give it as `cursor` to read on. Null: there are no older ones. */
  readonly nextCursor: string | null;
}

/** How a report is shown. */
export interface UsageReportOptions {
  /** At most so many receipts. @default 100 */
  readonly limit?: number | undefined;
}

/** `reports REPORT --json`. */
export interface ReportWithReceipts {
  readonly report: ListedReport;
  /** Receipts that say something else than the report's line, the oldest first. A report whose receipts all came as expected has none of them. */
  readonly receipts: readonly KeptReceipt[];
}
