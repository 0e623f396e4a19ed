import { and, desc, eq, inArray, ne, sql } from "../engine/drizzle.ts";
import type { RunCounterKind } from "../money/counters.ts";
import type { Answered, Asked } from "../operation.ts";
import { tally } from "../schema/counts.ts";
import { site } from "../schema/pages.ts";
import { run } from "../schema/runs.ts";
import { asked, type Queries, type ReportTx } from "./queries.ts";

/** Runs that are looked back on: what a catalog did long ago says little of what it does now. */
const RECENT_RUNS = 200;

/** Reads: run, tally, site. */
export function readRepurchases(tx: ReportTx, { hosts }: Asked<"readRepurchases">): Answered<"readRepurchases"> {
  return hosts.map((host) => {
    // A sum over nothing is a row too.
    const sums = tx.row(selectRepurchases, { host }) as NonNullable<
      ReturnType<ReturnType<typeof selectRepurchases>["get"]>
    >;
    return { host, ...sums };
  });
}

const selectRepurchases = (queries: Queries) => {
  const recent = queries
    .select({ id: run.id })
    .from(run)
    .where(ne(run.kind, "planning"))
    .orderBy(desc(run.id))
    .limit(RECENT_RUNS)
    .as("recent");
  const siteId = queries
    .select({ id: site.id })
    .from(site)
    .where(eq(site.host, asked("host")));
  return (
    queries
      .select({ repurchased: sumOf("repurchased"), repurchasedEqual: sumOf("repurchased_equal") })
      .from(recent)
      // Not an inner join: SQLite would read every counter first.
      .leftJoin(
        tally,
        and(
          eq(tally.runId, recent.id),
          eq(tally.siteId, siteId),
          inArray(tally.kind, ["repurchased", "repurchased_equal"]),
        ),
      )
  );
};

function sumOf(kind: RunCounterKind) {
  return sql<number>`coalesce(sum(iif(${tally.kind} = ${kind}, ${tally.count}, 0)), 0)`;
}
