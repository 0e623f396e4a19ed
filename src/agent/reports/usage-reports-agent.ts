/** `agent.usageReports` and `agent.usageReport`: what was reported, and what the gateway answered. */
import { LicetError } from "../../errors.ts";
import type { KeptReceipt, ListedReport, ReportState } from "../../ledger/report-reports.ts";
import type { Resources } from "../compose.ts";
import { type NewestQuery, readNewest } from "./newest-first.ts";

const USUAL_REPORTS = 50;
const USUAL_RECEIPTS = 100;

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

export async function usageReportsAgent(
  resources: Pick<Resources, "ledger">,
  { state, limit = USUAL_REPORTS, cursor }: UsageReportsFilter,
): Promise<UsageReportList> {
  const ledger = await resources.ledger("read");
  const read = (query: NewestQuery) => ledger.readReports({ ...query, state: state ?? null });
  const { rows, nextCursor } = await readNewest({ limit, cursor }, read, ({ batchId }) => batchId);
  return { reports: rows, nextCursor };
}

/** @throws LicetError REPORT_NOT_FOUND */
export async function usageReportAgent(
  { ledger }: Pick<Resources, "ledger">,
  batchId: number,
  { limit = USUAL_RECEIPTS }: UsageReportOptions,
): Promise<ReportWithReceipts> {
  const found = await (await ledger("read")).readReceipts({ reportId: batchId, limit });
  if (found === null) {
    throw new LicetError("REPORT_NOT_FOUND", `there is no usage report ${batchId}`, {
      hint: "`licet reports` lists them, with their numbers.",
      details: { batchId },
    });
  }
  return found;
}
