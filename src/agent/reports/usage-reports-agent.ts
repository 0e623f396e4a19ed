/** `agent.usageReports` and `agent.usageReport`: what was reported, and what the gateway answered. */
import { LicetError } from "../../errors.ts";
import type { Resources } from "../compose.ts";
import type { ReportWithReceipts, UsageReportList, UsageReportOptions, UsageReportsFilter } from "./usage-reports.ts";

const USUAL_REPORTS = 50;
const USUAL_RECEIPTS = 100;

export async function usageReportsAgent(
  { ledger }: Pick<Resources, "ledger">,
  { state = undefined, limit = USUAL_REPORTS, cursor }: UsageReportsFilter,
): Promise<UsageReportList> {
  const before = cursor === undefined ? null : Number(cursor);
  // One more than is shown says whether there are older ones.
  const read = await (await ledger("read")).readReports({ before, state: state ?? null, limit: limit + 1 });
  const reports = read.slice(0, limit);
  return { reports, nextCursor: read.length > limit ? String(reports.at(-1)?.batchId) : null };
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
