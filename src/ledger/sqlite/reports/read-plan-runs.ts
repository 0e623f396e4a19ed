import { and, desc, eq, sql } from "../engine/drizzle.ts";
import type { Answered, Asked } from "../operation.ts";
import { act } from "../schema/acts.ts";
import { runList } from "../schema/lists.ts";
import { run } from "../schema/runs.ts";
import { asked, type Queries, type ReportTx } from "./queries.ts";

export function readPlanRuns(tx: ReportTx, { digests, limit }: Asked<"readPlanRuns">): Answered<"readPlanRuns"> {
  return tx.rows(selectRuns, { digests: JSON.stringify(digests), limit });
}

/** The act is found by the index of runs. A run that goes on has others beside it. */
const selectRuns = (queries: Queries) =>
  queries
    .select({
      digest: sql<string>`lower(hex(${runList.planDigest}))`,
      runId: run.name,
      state: run.state,
      approvedAt: act.at,
      approvedBy: act.actor,
      reason: act.reason,
    })
    .from(runList)
    .innerJoin(run, eq(run.id, runList.runId))
    .leftJoin(act, and(eq(act.runName, run.name), eq(act.kind, "plan_approved")))
    .where(sql`${runList.planDigest} in (select unhex(value) from json_each(${asked("digests")}))`)
    .orderBy(desc(runList.runId))
    .limit(asked("limit"));
