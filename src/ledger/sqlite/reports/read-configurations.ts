import { asc, eq } from "../engine/drizzle.ts";
import type { Answered, Asked } from "../operation.ts";
import { configuration, runConfiguration } from "../schema/runs.ts";
import { asked, columns, type Queries, type ReportTx } from "./queries.ts";
import { findRun } from "./read-run-purchases.ts";

export function readConfigurations(
  tx: ReportTx,
  { runId }: Asked<"readConfigurations">,
): Answered<"readConfigurations"> {
  return tx.rows(selectConfigurations, { id: findRun(tx, runId).id });
}

const selectConfigurations = (queries: Queries) =>
  queries
    .select({ since: runConfiguration.since, ...columns(configuration, "digest", "text") })
    .from(runConfiguration)
    .innerJoin(configuration, eq(configuration.id, runConfiguration.configurationId))
    .where(eq(runConfiguration.runId, asked("id")))
    .orderBy(asc(runConfiguration.since));
