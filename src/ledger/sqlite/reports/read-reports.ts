/** Usage reports as people read them. Their bodies are not read. */
import type { ListedReport } from "../../report-reports.ts";
import { and, asc, desc, eq, sql } from "../engine/drizzle.ts";
import type { Answered, Asked } from "../operation.ts";
import { receipt, usageBatch } from "../schema/usage.ts";
import { asked, columns, isLiterally, micros, type Queries, type ReportTx } from "./queries.ts";

const REPORT = {
  batchId: usageBatch.id,
  ...columns(
    usageBatch,
    "idempotencyId",
    "state",
    "attempts",
    "detail",
    "createdAt",
    "closedAt",
    "receiptsAsExpectedAt",
  ),
  entries: sql<number>`${usageBatch.lastEntryId} - ${usageBatch.firstEntryId} + 1`,
};

/** From the end of the table. Those that a person or the gateway still has to answer come from the index of open ones. */
export function readReports(tx: ReportTx, { before, state, limit }: Asked<"readReports">): readonly ListedReport[] {
  const which = { before: before ?? Number.MAX_SAFE_INTEGER, state, limit };
  const select = state === "frozen" ? selectFrozen : state === "needs_reconcile" ? selectUnknown : selectReports;
  return tx.rows(select, which);
}

const IS_OLDER = sql`${usageBatch.id} < ${asked("before")}`;

const selectReports = (queries: Queries) =>
  queries
    .select(REPORT)
    .from(usageBatch)
    .where(and(IS_OLDER, sql`(${asked("state")} is null or ${usageBatch.state} = ${asked("state")})`))
    .orderBy(desc(usageBatch.id))
    .limit(asked("limit"));

const selectFrozen = (queries: Queries) => selectOpen(queries, "frozen");
const selectUnknown = (queries: Queries) => selectOpen(queries, "needs_reconcile");

const selectOpen = (queries: Queries, state: "frozen" | "needs_reconcile") =>
  queries
    .select(REPORT)
    .from(usageBatch)
    .where(
      and(IS_OLDER, isLiterally(usageBatch.state, state), sql`${usageBatch.state} in ('frozen', 'needs_reconcile')`),
    )
    .orderBy(desc(usageBatch.id))
    .limit(asked("limit"));

/** Reads: usage_batch by its key, receipt by its index. */
export function readReceipts(tx: ReportTx, { reportId, limit }: Asked<"readReceipts">): Answered<"readReceipts"> {
  const report = tx.row(selectReport, { reportId });
  return report === undefined ? null : { report, receipts: tx.rows(selectReceipts, { reportId, limit }) };
}

const selectReport = (queries: Queries) =>
  queries
    .select(REPORT)
    .from(usageBatch)
    .where(eq(usageBatch.id, asked("reportId")));

const selectReceipts = (queries: Queries) =>
  queries
    .select({
      ...columns(receipt, "url", "currency", "licenseType", "licenseCuid", "error", "at"),
      perUnitMicros: micros(receipt.perUnitMicros),
      totalMicros: micros(receipt.totalMicros),
    })
    .from(receipt)
    .where(eq(receipt.batchId, asked("reportId")))
    .orderBy(asc(receipt.id))
    .limit(asked("limit"));
