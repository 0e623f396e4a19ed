/** `agent.usageReports` and `agent.usageReport`: what was reported, and what the gateway answered. */
import { LicetError } from "../../errors.ts";
import type { Resources } from "../compose.ts";
import { type NewestQuery, readNewest } from "./newest-first.ts";
import type { ReportWithReceipts, UsageReportList, UsageReportOptions, UsageReportsFilter } from "./usage-reports.ts";

const USUAL_REPORTS = 50;
const USUAL_RECEIPTS = 100;

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
