import type { Ledger } from "../../ledger.ts";
import { and, desc, eq, inArray, ne, sql } from "../engine/drizzle.ts";
import type { RunCounterKind } from "../money/counters.ts";
import { run } from "../schema/run.ts";
import { site } from "../schema/site.ts";
import { tally } from "../schema/tally.ts";
import type { ReportDeps } from "./queries.ts";

/** Runs that are looked back on: what a catalog did long ago says little of what it does now. */
const RECENT_RUNS = 200;

/** Reads: run, tally, site. */
export function createReadRepurchases({ queries, read }: ReportDeps): Ledger["readRepurchases"] {
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
    .where(eq(site.host, sql.placeholder("host")));
  const select = queries
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
    .prepare();
  return ({ hosts }) =>
    read(() =>
      hosts.map((host) => ({ host, ...(select.get({ host }) as NonNullable<ReturnType<typeof select.get>>) })),
    );
}

function sumOf(kind: RunCounterKind) {
  return sql<number>`coalesce(sum(iif(${tally.kind} = ${kind}, ${tally.count}, 0)), 0)`;
}
