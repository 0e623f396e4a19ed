/** The list of runs, with what each cost and which process died at work on it. */

import type { SQL } from "drizzle-orm";
import type { ListedRunKind, RunOverview, RunsQuery } from "../../run-reports.ts";
import { alias, and, asc, count, desc, eq, inArray, sql } from "../engine/drizzle.ts";
import { readSpend } from "../money/read-spend.ts";
import type { Answered } from "../operation.ts";
import { listAliveRuns } from "../runs/unfinished-runs.ts";
import { site } from "../schema/pages.ts";
import { run, runSite } from "../schema/runs.ts";
import { asked, columns, countedPages, isRun, type Queries, type ReportTx } from "./queries.ts";

/** Reads: run, run_site, tally, balance, and what says that a process is alive. */
export function readRuns(tx: ReportTx, query: RunsQuery): Answered<"readRuns"> {
  const alive = listAliveRuns(tx, query);
  const { rows: found, total } = readRows(tx, query, alive);
  const rows = found.slice(0, query.limit);
  const next = found.length > query.limit ? (rows.at(-1)?.id ?? null) : null;
  const runs = rows.map(({ id, hasDied, diedAt, diedProcess, heardAt, kind, ...row }): RunOverview => {
    const { takenOverBy, process, startedAt } = row;
    // What died and was not taken over yet says so in its own columns.
    const died =
      takenOverBy === null
        ? { lastSeenAt: Math.min(query.now, heardAt === null ? startedAt : heardAt - query.aliveMs), process }
        : { lastSeenAt: diedAt ?? startedAt, process: diedProcess };
    return {
      ...row,
      kind: kind as ListedRunKind,
      hosts: tx.rows(selectHosts, { id }).map(({ host }) => host),
      isAlive: alive.includes(row.runId),
      died: hasDied === 1 ? died : null,
      spend: readSpend(tx, `run:${row.runId}`),
    };
  });
  return { runs, total, next };
}

/** The one rule: a run that was taken over died if its process did; any other, while it is running in no living process. */
function hasDied(alive: readonly string[]): SQL<number> {
  const isAlive = alive.length === 0 ? sql`0` : inArray(run.name, [...alive]);
  return sql<number>`(case when ${run.successorRowId} is not null then ${run.diedAt} is not null else ${run.state} = 'running' and not ${isAlive} end)`;
}

const successor = alias(run, "successor");

const selectSite = (queries: Queries) =>
  queries
    .select({ id: site.id })
    .from(site)
    .where(eq(site.host, asked("host")));

function readRows(
  tx: ReportTx,
  { runId, host, state, kind = null, since = null, until = null, before = null, limit }: RunsQuery,
  alive: readonly string[],
) {
  const { queries } = tx;
  const siteId = host === null ? null : (tx.row(selectSite, { host })?.id ?? null);
  if (host !== null && siteId === null) {
    return { rows: [], total: 0 };
  }
  const died = hasDied(alive);
  const matches = and(
    isRun(),
    runId === null ? undefined : sql`${run.name} >= ${runId} and ${run.name} < ${`${runId}{`}`,
    kind === null ? undefined : eq(run.kind, kind),
    since === null ? undefined : sql`${run.startedAt} >= ${since}`,
    until === null ? undefined : sql`${run.startedAt} < ${until}`,
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
      ...columns(run, "state", "trigger", "kind", "reason", "startedAt", "endedAt", "process"),
      takenOverBy: successor.name,
      pagesBought: countedPages(queries, "settled"),
      pagesInDoubt: countedPages(queries, "in_doubt"),
      hasDied: died,
      ...columns(run, "diedAt", "diedProcess"),
      heardAt: run.aliveUntil,
    })
    .from(run)
    .leftJoin(successor, eq(successor.id, run.successorRowId))
    .where(before === null ? matches : and(matches, sql`${run.id} < ${before}`))
    .orderBy(desc(run.id))
    .limit(limit + 1)
    .all();
  const total = queries.select({ total: count() }).from(run).where(matches).get()?.total ?? 0;
  return { rows, total };
}

const selectHosts = (queries: Queries) =>
  queries
    .select({ host: site.host })
    .from(runSite)
    .innerJoin(site, eq(site.id, runSite.siteId))
    .where(eq(runSite.runId, asked("id")))
    .orderBy(asc(runSite.position));
