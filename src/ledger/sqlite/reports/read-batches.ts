/** The work of the runs at work. */
import { and, count, eq, inArray, sql } from "../engine/drizzle.ts";
import { run } from "../schema/runs.ts";
import { batch } from "../schema/work.ts";
import { isLiterally, isRun, type Queries } from "./queries.ts";

/** The condition of the index of unfinished runs. */
export function isUnfinished() {
  return and(isRun(), inArray(run.state, ["running", "interrupted", "failed"]).inlineParams());
}

/** As many rows as batches of the runs at work. */
export const selectBatches = (queries: Queries) =>
  queries
    .select({ stage: batch.stage, count: count(), size: sql<number>`sum(${batch.size})` })
    .from(run)
    .crossJoin(batch)
    .where(and(isUnfinished(), isLiterally(run.state, "running"), eq(batch.runId, run.id)))
    .groupBy(batch.stage);
