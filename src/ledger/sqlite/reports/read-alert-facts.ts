import type { AlertFacts, BudgetFact, FailedSlotsFact, WaitFact } from "../../../alert/alert-facts.ts";
import { OPEN_ITEM_KEY } from "../../../alert/find-alerts.ts";
import { watchBudgets } from "../../../alert/watched-budgets.ts";
import type { BalanceKeyInCurrency } from "../../../budget/covering-budgets.ts";
import type { Micros } from "../../../money/micros.ts";
import { and, asc, count, desc, eq, inArray, isNull, sql } from "../engine/drizzle.ts";
import { readBalance } from "../money/read-balances.ts";
import type { Asked } from "../operation.ts";
import { alert } from "../schema/alerts.ts";
import { spentBudget } from "../schema/money.ts";
import { openItem } from "../schema/open-items.ts";
import { site } from "../schema/pages.ts";
import { purchase } from "../schema/purchases.ts";
import { run, runSite } from "../schema/runs.ts";
import { schedule, slot } from "../schema/schedules.ts";
import { service, wait } from "../schema/service.ts";
import { asked, columns, isAsked, isLiterally, isRun, type Queries, type ReportTx } from "./queries.ts";
import { readUnreported } from "./read-unreported.ts";

/** Of a budget of runs, the balances of so many runs are looked at. */
const RECENT_RUNS = 20;
/** Rows of one kind. What is left out is read when these have their alerts. */
const MAX_FACTS = 500;

/** Reads a few rows of indexes for each budget, and what a person has to look at. */
export function readAlertFacts(tx: ReportTx, { budgets, since, now }: Asked<"readAlertFacts">): AlertFacts {
  const runIds = tx.rows(selectRuns).map(({ runId }) => runId);
  return {
    budgets: watchBudgets(budgets, now, runIds).map(({ budget, key }): BudgetFact => {
      const { balance } = readBalance(tx, key);
      return { budget, key, balance, spentAt: readSpentAt(tx, key, budget.limitMicros) };
    }),
    failedRuns: tx.rows(selectFailed, { since }),
    failedSlots: readFailedSlots(tx),
    doubts: tx.rows(selectDoubts),
    openItems: tx.rows(selectItems, { since }),
    unreported: readUnreported(tx),
    waits: groupWaits(tx.rows(selectWaits, { now })),
  };
}

const selectRuns = (queries: Queries) =>
  queries.select({ runId: run.name }).from(run).where(isRun()).orderBy(desc(run.id)).limit(RECENT_RUNS);

/** When a budget was found used up, under this limit; null: it was not. */
export function readSpentAt(tx: ReportTx, key: BalanceKeyInCurrency, limitMicros: Micros): number | null {
  return tx.row(selectSpent, { ...key, limitMicros })?.at ?? null;
}

const selectSpent = (queries: Queries) =>
  queries
    .select({ at: spentBudget.at })
    .from(spentBudget)
    .where(isAsked(spentBudget, "scope", "period", "currency", "limitMicros"));

/** The host of a run with one site; null for several. Not a join: the sites of a run are one range of their key. */
const hostsOfRun = (queries: Queries) =>
  queries
    .select({ host: sql`iif(count(*) = 1, max(${site.host}), NULL)` })
    .from(runSite)
    .innerJoin(site, eq(site.id, runSite.siteId))
    .where(eq(runSite.runId, run.id));

const firstStopOfRun = (queries: Queries) =>
  queries
    .select({ stop: runSite.stop })
    .from(runSite)
    .where(and(eq(runSite.runId, run.id), sql`${runSite.stop} is not null`))
    .orderBy(asc(runSite.position))
    .limit(1);

/** Waits of runs and of a service that are alive: their heartbeat says so. */
const selectWaits = (queries: Queries) =>
  queries
    .select({ ...columns(wait, "place", "code", "message", "since"), runId: run.name })
    .from(wait)
    .leftJoin(run, eq(run.id, wait.runId))
    .where(
      sql`iif(${wait.runId} is null, exists (select 1 from ${service} where ${service.id} = 1 and ${service.expiresAt} >= ${asked("now")}),
        ${run.state} = 'running' and ${run.aliveUntil} >= ${asked("now")})`,
    )
    .orderBy(wait.since, wait.id);

/** One fact a place, of the oldest wait. */
function groupWaits(
  rows: readonly (Omit<WaitFact, "runIds"> & { readonly runId: string | null })[],
): readonly WaitFact[] {
  const places = [...new Set(rows.map(({ place }) => place))];
  return places.flatMap((place) => {
    const own = rows.filter((row) => row.place === place);
    const runIds = [...new Set(own.flatMap(({ runId }) => runId ?? []))];
    return own.slice(0, 1).map(({ runId: _, ...oldest }) => ({ ...oldest, runIds }));
  });
}

const selectFailed = (queries: Queries) =>
  queries
    .select({
      runId: run.name,
      host: sql<string | null>`(${hostsOfRun(queries)})`,
      stop: sql<string | null>`(${firstStopOfRun(queries)})`,
      reason: run.reason,
      endedAt: sql<number>`${run.endedAt}`,
    })
    .from(run)
    .where(
      and(
        isRun(),
        inArray(run.state, ["running", "interrupted", "failed"]).inlineParams(),
        isLiterally(run.state, "failed"),
        sql`${run.endedAt} >= ${asked("since")}`,
      ),
    )
    .orderBy(desc(run.id))
    .limit(MAX_FACTS);

/** The rows of a schedule are looked at in the order in which they were written: a clock may have been set meanwhile. */
const WRITTEN = sql.raw("slot.rowid");

/** For each schedule of a site, two looks into its rows. */
function readFailedSlots(tx: ReportTx): FailedSlotsFact[] {
  return tx.rows(selectNames).flatMap(({ schedule: name }) => {
    const after = tx.row(selectBegan, { schedule: name })?.row ?? 0;
    const failed = tx.row(selectFailedSlots, { schedule: name, after });
    return failed === undefined ? [] : [{ schedule: name, ...failed }];
  });
}

const selectNames = (queries: Queries) =>
  queries
    .select({ schedule: schedule.name })
    .from(schedule)
    .where(sql`${schedule.name} >= 'site:' AND ${schedule.name} < 'site;'`);
const ofSchedule = eq(slot.schedule, asked("schedule"));
const selectBegan = (queries: Queries) =>
  queries
    .select({ row: sql<number | null>`max(${WRITTEN})` })
    .from(slot)
    .where(and(ofSchedule, sql`(${slot.state} IN ('started', 'done') OR ${slot.runId} IS NOT NULL)`));
const selectFailedSlots = (queries: Queries) =>
  queries
    .select({
      firstSlotAt: slot.slotAt,
      slots: sql<number>`count(*) OVER ()`,
      reason: sql<
        string | null
      >`last_value(${slot.detail}) OVER (ORDER BY ${WRITTEN} ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)`,
    })
    .from(slot)
    .where(and(ofSchedule, eq(slot.state, "failed"), isNull(slot.runId), sql`${WRITTEN} > ${asked("after")}`))
    .orderBy(WRITTEN)
    .limit(1);

const selectDoubts = (queries: Queries) =>
  queries
    .select({
      runId: run.name,
      host: sql<string | null>`iif(count(distinct ${purchase.siteId}) = 1, max(${site.host}), NULL)`,
      reason: sql<string>`max(${purchase.reason})`,
      count: count(),
      newestAt: sql<number>`max(${purchase.endedAt})`,
    })
    .from(purchase)
    .innerJoin(run, eq(run.id, purchase.runId))
    .innerJoin(site, eq(site.id, purchase.siteId))
    .where(isLiterally(purchase.state, "in_doubt"))
    .groupBy(run.id)
    .limit(MAX_FACTS);

const selectItems = (queries: Queries) => {
  const raised = queries
    .select({ one: sql`1` })
    .from(alert)
    .where(eq(alert.key, sql`${sql.raw(`'${OPEN_ITEM_KEY}'`)} || ${openItem.id}`));
  return queries
    .select({
      ...columns(openItem, "id", "kind", "detail", "url"),
      host: site.host,
      at: openItem.at,
    })
    .from(openItem)
    .leftJoin(site, eq(site.id, openItem.siteId))
    .where(and(isNull(openItem.closedAt), sql`${openItem.at} >= ${asked("since")}`, sql`not exists ${raised}`))
    .orderBy(asc(openItem.id))
    .limit(MAX_FACTS);
};
