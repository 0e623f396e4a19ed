import type { UnreportedFact } from "../../../alert/alert-facts.ts";
import { and, asc, desc, eq, inArray, sql } from "../engine/drizzle.ts";
import { readCounters } from "../money/read-counters.ts";
import { usageBatch, use } from "../schema/usage.ts";
import { isInNoPlainReport, USES_THROUGH } from "../usage/use-rows.ts";
import { asked, IS_USE_OF_REPORT, isLiterally, type Queries, type ReportTx } from "./queries.ts";

/** Reports are frozen in the order of the uses: the oldest use is in one of the first that wait for their answer. */
const OLDEST_REPORTS = 5;

interface OldestUse {
  readonly id: number;
  readonly at: number;
}

/** Uses that are pending, or frozen into a report that has no answer. What needs a reconciliation is an open item, and not here. */
export function readUnreported(tx: ReportTx): UnreportedFact | null {
  const counters = readCounters(tx);
  // Where nothing is pending, nothing is looked for.
  const pending = counters.of("use_pending") > 0 ? tx.row(selectPending) : undefined;
  const waiting = [...(pending === undefined ? [] : [pending]), ...readFrozen(tx)];
  if (waiting.length === 0) {
    return null;
  }
  return {
    uses: counters.of("use_pending") + counters.of("use_batched"),
    oldestAt: Math.min(...waiting.map(({ at }) => at)),
    oldestUseId: Math.min(...waiting.map(({ id }) => id)),
    newestUseId: tx.row(selectNewest)?.id ?? 0,
  };
}

function readFrozen(tx: ReportTx): OldestUse[] {
  return tx.rows(selectReports).flatMap((report) => {
    const oldest = tx.row(selectOfReport, { batchId: report.id });
    return oldest === undefined || oldest.id === null ? [] : [{ id: oldest.id, at: oldest.at }];
  });
}

const selectPending = (queries: Queries) =>
  queries
    .select({ id: use.id, at: use.recordedAt })
    .from(use)
    .where(
      and(
        sql`${use.id} > ${sql.raw(USES_THROUGH)}`,
        eq(use.state, "pending"),
        sql.raw(isInNoPlainReport('"use"."id"')),
      ),
    )
    .orderBy(asc(use.id))
    .limit(1);

const selectNewest = (queries: Queries) => queries.select({ id: use.id }).from(use).orderBy(desc(use.id)).limit(1);

const selectReports = (queries: Queries) =>
  queries
    .select({ id: usageBatch.id })
    .from(usageBatch)
    .where(
      and(
        inArray(usageBatch.state, ["frozen", "needs_reconcile"]).inlineParams(),
        isLiterally(usageBatch.state, "frozen"),
      ),
    )
    .orderBy(asc(usageBatch.id))
    .limit(OLDEST_REPORTS);

const selectOfReport = (queries: Queries) =>
  queries
    .select({ id: sql<number | null>`min(${use.id})`, at: sql<number>`min(${use.recordedAt})` })
    .from(usageBatch)
    .crossJoin(use)
    .where(and(eq(usageBatch.id, asked("batchId")), IS_USE_OF_REPORT));
