/** What became of the lines of a run's list. */
import type { ListSummary } from "../../list-ledger.ts";
import { asc, eq, sql } from "../engine/drizzle.ts";
import { rejectedLine, rejectedLineTotal, runList } from "../schema/lists.ts";
import { run } from "../schema/runs.ts";
import type { Queries, ReportTx } from "./queries.ts";

/** Null for a run without a list. */
export function readList(tx: ReportTx, id: number, pages: number): ListSummary | null {
  const list = tx.query(selectList).get({ id });
  if (list === undefined) {
    return null;
  }
  const rejected = Object.fromEntries(
    tx
      .query(selectTotals)
      .all({ id })
      .map(({ reason, count }) => [reason, count]),
  );
  return { ...list, isRead: list.isRead === 1, pages, rejected, examples: tx.query(selectExamples).all({ id }) };
}

const selectList = (queries: Queries) =>
  queries
    .select({
      source: runList.source,
      path: runList.path,
      goesOnFrom: run.name,
      lines: runList.linesRead,
      isRead: runList.isRead,
      repeated: runList.repeated,
    })
    .from(runList)
    .leftJoin(run, eq(run.id, runList.goesOnFrom))
    .where(eq(runList.runId, sql.placeholder("id")))
    .prepare();

const selectTotals = (queries: Queries) =>
  queries
    .select({ reason: rejectedLineTotal.reason, count: rejectedLineTotal.count })
    .from(rejectedLineTotal)
    .where(eq(rejectedLineTotal.runId, sql.placeholder("id")))
    .orderBy(asc(rejectedLineTotal.reason))
    .prepare();

const selectExamples = (queries: Queries) =>
  queries
    .select({ line: rejectedLine.line, reason: rejectedLine.reason, raw: rejectedLine.raw })
    .from(rejectedLine)
    .where(eq(rejectedLine.runId, sql.placeholder("id")))
    .orderBy(asc(rejectedLine.line))
    .prepare();
