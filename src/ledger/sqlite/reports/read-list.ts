/** What became of the lines of a run's list. */
import type { ListSummary } from "../../list-ledger.ts";
import { asc, eq } from "../engine/drizzle.ts";
import { rejectedLine, rejectedLineTotal, runList } from "../schema/lists.ts";
import { run } from "../schema/runs.ts";
import { asked, columns, type Queries, type ReportTx } from "./queries.ts";

/** Null for a run without a list. */
export function readList(tx: ReportTx, id: number, pages: number): ListSummary | null {
  const list = tx.row(selectList, { id });
  if (list === undefined) {
    return null;
  }
  const rejected = Object.fromEntries(tx.rows(selectTotals, { id }).map(({ reason, count }) => [reason, count]));
  return { ...list, isRead: list.isRead === 1, pages, rejected, examples: tx.rows(selectExamples, { id }) };
}

const selectList = (queries: Queries) =>
  queries
    .select({
      ...columns(runList, "source", "path"),
      goesOnFrom: run.name,
      lines: runList.linesRead,
      ...columns(runList, "isRead", "repeated"),
    })
    .from(runList)
    .leftJoin(run, eq(run.id, runList.goesOnFrom))
    .where(eq(runList.runId, asked("id")));

const selectTotals = (queries: Queries) =>
  queries
    .select({ reason: rejectedLineTotal.reason, count: rejectedLineTotal.count })
    .from(rejectedLineTotal)
    .where(eq(rejectedLineTotal.runId, asked("id")))
    .orderBy(asc(rejectedLineTotal.reason));

const selectExamples = (queries: Queries) =>
  queries
    .select({ line: rejectedLine.line, reason: rejectedLine.reason, raw: rejectedLine.raw })
    .from(rejectedLine)
    .where(eq(rejectedLine.runId, asked("id")))
    .orderBy(asc(rejectedLine.line));
