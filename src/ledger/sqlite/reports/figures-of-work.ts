import { and, count, eq, inArray, sql } from "../engine/drizzle.ts";
import { batch } from "../schema/batch.ts";
import { run } from "../schema/run.ts";
import { isLiterally, isRun, type Queries } from "./queries.ts";

/** The condition of the index of unfinished runs. */
function isUnfinished() {
  return and(isRun(), inArray(run.state, ["running", "interrupted", "failed"]).inlineParams());
}

/** As many rows as runs that can be resumed. */
export const selectUnfinished = (queries: Queries) =>
  queries.select({ state: run.state, count: count() }).from(run).where(isUnfinished()).groupBy(run.state).prepare();

/** As many rows as batches of the runs at work. */
export const selectBatches = (queries: Queries) =>
  queries
    .select({ stage: batch.stage, count: count(), size: sql<number>`sum(${batch.size})` })
    .from(run)
    .crossJoin(batch)
    .where(and(isUnfinished(), isLiterally(run.state, "running"), eq(batch.runId, run.id)))
    .groupBy(batch.stage)
    .prepare();
