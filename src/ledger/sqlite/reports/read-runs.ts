/** The list of runs, with what each cost and which process died at work on it. */

import type { SQL } from "drizzle-orm";
import type { Ledger } from "../../ledger.ts";
import type { RunOverview, RunsQuery } from "../../run-reports.ts";
import { alias, and, asc, count, desc, eq, inArray, sql } from "../engine/drizzle.ts";
import { listUnfinishedRuns } from "../runs/unfinished-runs.ts";
import { run } from "../schema/run.ts";
import { runSite } from "../schema/run-site.ts";
import { site } from "../schema/site.ts";
import { tally } from "../schema/tally.ts";
import { isRun, type ReportDeps } from "./queries.ts";
import { createSelectSpend } from "./select-spend.ts";

/** Reads: run, run_site, tally, balance, and what says that a process is alive. */
export function createReadRuns(deps: ReportDeps): Ledger["readRuns"] {
  const selectRows = createSelectRows(deps);
  const selectHosts = createSelectHosts(deps);
  const selectSpend = createSelectSpend(deps);
  return (query) =>
    deps.read((tx) => {
      const alive = listUnfinishedRuns(tx, query)
        .filter(({ isAlive }) => isAlive)
        .map(({ runId }) => runId);
      const { rows, total } = selectRows(query, alive);
      const runs = rows.map(({ id, hasDied, diedAt, diedProcess, heardAt, ...row }): RunOverview => {
        const { takenOverBy, process, startedAt } = row;
        // What died and was not taken over yet says so in its own columns.
        const died =
          takenOverBy === null
            ? { lastSeenAt: Math.min(query.now, heardAt === null ? startedAt : heardAt - query.aliveMs), process }
            : { lastSeenAt: diedAt ?? startedAt, process: diedProcess };
        return {
          ...row,
          hosts: selectHosts.all({ id }).map(({ host }) => host),
          isAlive: alive.includes(row.runId),
          died: hasDied === 1 ? died : null,
          spend: selectSpend(`run:${row.runId}`),
        };
      });
      return { runs, total };
    });
}

/** The one rule: a run that was taken over died if its process did; any other, while it is running in no living process. */
function hasDied(alive: readonly string[]): SQL<number> {
  const isAlive = alive.length === 0 ? sql`0` : inArray(run.name, [...alive]);
  return sql<number>`(case when ${run.takenOverBy} is not null then ${run.diedAt} is not null else ${run.state} = 'running' and not ${isAlive} end)`;
}

function createSelectRows({ queries }: ReportDeps) {
  const successor = alias(run, "successor");
  const counted = (kind: "settled" | "in_doubt") =>
    // Not a join: the counters of a run are one range of their key.
    sql<number>`${queries
      .select({ pages: sql`coalesce(sum(${tally.count}), 0)` })
      .from(tally)
      .where(and(eq(tally.runId, run.id), eq(tally.kind, kind)))}`;
  const selectSite = queries
    .select({ id: site.id })
    .from(site)
    .where(eq(site.host, sql.placeholder("host")))
    .prepare();

  return ({ runId, host, state, limit }: RunsQuery, alive: readonly string[]) => {
    const siteId = host === null ? null : (selectSite.get({ host })?.id ?? null);
    if (host !== null && siteId === null) {
      return { rows: [], total: 0 };
    }
    const died = hasDied(alive);
    const matches = and(
      isRun(),
      runId === null ? undefined : eq(run.name, runId),
      siteId === null
        ? undefined
        : sql`exists ${queries
            .select({ one: sql`1` })
            .from(runSite)
            .where(and(eq(runSite.runId, run.id), eq(runSite.siteId, siteId)))}`,
      state === null ? undefined : state === "died" ? sql`${died}` : sql`${run.state} = ${state} and not ${died}`,
    );
    const rows = queries
      .select({
        id: run.id,
        runId: run.name,
        state: run.state,
        trigger: run.trigger,
        reason: run.reason,
        startedAt: run.startedAt,
        endedAt: run.endedAt,
        process: run.process,
        takenOverBy: successor.name,
        pagesAcquired: counted("settled"),
        pagesInDoubt: counted("in_doubt"),
        hasDied: died,
        diedAt: run.diedAt,
        diedProcess: run.diedProcess,
        heardAt: run.aliveUntil,
      })
      .from(run)
      .leftJoin(successor, eq(successor.id, run.takenOverBy))
      .where(matches)
      .orderBy(desc(run.id))
      .limit(limit)
      .all();
    const total = queries.select({ total: count() }).from(run).where(matches).get()?.total ?? 0;
    return { rows, total };
  };
}

function createSelectHosts({ queries }: ReportDeps) {
  return queries
    .select({ host: site.host })
    .from(runSite)
    .innerJoin(site, eq(site.id, runSite.siteId))
    .where(eq(runSite.runId, sql.placeholder("id")))
    .orderBy(asc(runSite.position))
    .prepare();
}
