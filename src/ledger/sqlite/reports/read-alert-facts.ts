import type { AlertFacts, BudgetFact, FailedSlotsFact, OpenItemFact } from "../../../alert/alert-facts.ts";
import { OPEN_ITEM_KEY } from "../../../alert/find-alerts.ts";
import { watchBudgets } from "../../../alert/watched-budgets.ts";
import type { BalanceKeyInCurrency } from "../../../budget/covering-budgets.ts";
import type { Micros } from "../../../money/micros.ts";
import type { Ledger } from "../../ledger.ts";
import { and, asc, count, desc, eq, inArray, isNull, sql } from "../engine/drizzle.ts";
import { alert } from "../schema/alert.ts";
import { openItem } from "../schema/open-item.ts";
import { purchase } from "../schema/purchase.ts";
import { run } from "../schema/run.ts";
import { schedule } from "../schema/schedule.ts";
import { site } from "../schema/site.ts";
import { slot } from "../schema/slot.ts";
import { spentBudget } from "../schema/spent-budget.ts";
import { isLiterally, isRun, type ReportDeps } from "./queries.ts";
import { createSelectBalance } from "./read-balances.ts";
import { createSelectUnreported } from "./select-unreported.ts";

/** Of a budget of runs, the balances of so many runs are looked at. */
const RECENT_RUNS = 20;
/** Rows of one kind. What is left out is read when these have their alerts. */
const MAX_FACTS = 500;

/** Reads a few rows of indexes for each budget, and what a person has to look at. */
export function createReadAlertFacts(deps: ReportDeps): Ledger["readAlertFacts"] {
  const { queries, read } = deps;
  const selectRuns = queries
    .select({ runId: run.name })
    .from(run)
    .where(isRun())
    .orderBy(desc(run.id))
    .limit(RECENT_RUNS)
    .prepare();
  const selectBalance = createSelectBalance(deps);
  const selectSpent = createSelectSpent(deps);
  const selectFailed = createSelectFailed(deps);
  const selectFailedSlots = createSelectFailedSlots(deps);
  const selectDoubts = createSelectDoubts(deps);
  const selectItems = createSelectItems(deps);
  const selectUnreported = createSelectUnreported(deps);
  return ({ budgets, since, now }) =>
    read((): AlertFacts => {
      const runIds = selectRuns.all().map(({ runId }) => runId);
      return {
        budgets: watchBudgets(budgets, now, runIds).map(({ budget, key }): BudgetFact => {
          const { balance } = selectBalance(key);
          return { budget, key, balance, spentAt: selectSpent(key, budget.limitMicros) };
        }),
        failedRuns: selectFailed.all({ since }),
        failedSlots: selectFailedSlots(),
        doubts: selectDoubts.all(),
        openItems: selectItems.all({ since }),
        unreported: selectUnreported(),
      };
    });
}

export function createSelectSpent({
  queries,
}: ReportDeps): (key: BalanceKeyInCurrency, limitMicros: Micros) => number | null {
  const select = queries
    .select({ at: spentBudget.at })
    .from(spentBudget)
    .where(
      and(
        eq(spentBudget.scope, sql.placeholder("scope")),
        eq(spentBudget.period, sql.placeholder("period")),
        eq(spentBudget.currency, sql.placeholder("currency")),
        eq(spentBudget.limitMicros, sql.placeholder("limitMicros")),
      ),
    )
    .prepare();
  return (key, limitMicros) => select.get({ ...key, limitMicros })?.at ?? null;
}

function createSelectFailed({ queries }: ReportDeps) {
  return queries
    .select({ runId: run.name, reason: run.reason, endedAt: sql<number>`${run.endedAt}` })
    .from(run)
    .where(
      and(
        isRun(),
        inArray(run.state, ["running", "interrupted", "failed"]).inlineParams(),
        isLiterally(run.state, "failed"),
        sql`${run.endedAt} >= ${sql.placeholder("since")}`,
      ),
    )
    .orderBy(desc(run.id))
    .limit(MAX_FACTS)
    .prepare();
}

/** The rows of a schedule are looked at in the order in which they were written: a clock may have been set meanwhile. */
const WRITTEN = sql.raw("slot.rowid");

/** For each schedule of a site, two looks into its rows. */
function createSelectFailedSlots({ queries }: ReportDeps): () => FailedSlotsFact[] {
  const selectNames = queries
    .select({ schedule: schedule.name })
    .from(schedule)
    .where(sql`${schedule.name} >= 'site:' AND ${schedule.name} < 'site;'`)
    .prepare();
  const ofSchedule = eq(slot.schedule, sql.placeholder("schedule"));
  const selectBegan = queries
    .select({ row: sql<number | null>`max(${WRITTEN})` })
    .from(slot)
    .where(and(ofSchedule, sql`(${slot.state} IN ('started', 'done') OR ${slot.runId} IS NOT NULL)`))
    .prepare();
  const selectFailed = queries
    .select({
      firstSlotAt: slot.slotAt,
      slots: sql<number>`count(*) OVER ()`,
      reason: sql<
        string | null
      >`last_value(${slot.detail}) OVER (ORDER BY ${WRITTEN} ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)`,
    })
    .from(slot)
    .where(and(ofSchedule, eq(slot.state, "failed"), isNull(slot.runId), sql`${WRITTEN} > ${sql.placeholder("after")}`))
    .orderBy(WRITTEN)
    .limit(1)
    .prepare();
  return () =>
    selectNames.all().flatMap(({ schedule: name }) => {
      const after = selectBegan.get({ schedule: name })?.row ?? 0;
      const failed = selectFailed.get({ schedule: name, after });
      return failed === undefined ? [] : [{ schedule: name, ...failed }];
    });
}

function createSelectDoubts({ queries }: ReportDeps) {
  return queries
    .select({ runId: run.name, count: count(), newestAt: sql<number>`max(${purchase.endedAt})` })
    .from(purchase)
    .innerJoin(run, eq(run.id, purchase.runId))
    .where(isLiterally(purchase.state, "in_doubt"))
    .groupBy(run.id)
    .limit(MAX_FACTS)
    .prepare();
}

function createSelectItems({ queries }: ReportDeps) {
  const raised = queries
    .select({ one: sql`1` })
    .from(alert)
    .where(eq(alert.key, sql`${sql.raw(`'${OPEN_ITEM_KEY}'`)} || ${openItem.id}`));
  const select = queries
    .select({
      id: openItem.id,
      kind: openItem.kind,
      detail: openItem.detail,
      url: openItem.url,
      host: site.host,
      at: openItem.at,
    })
    .from(openItem)
    .leftJoin(site, eq(site.id, openItem.siteId))
    .where(
      and(isNull(openItem.closedAt), sql`${openItem.at} >= ${sql.placeholder("since")}`, sql`not exists ${raised}`),
    )
    .orderBy(asc(openItem.id))
    .limit(MAX_FACTS)
    .prepare();
  return { all: (query: { readonly since: number }): OpenItemFact[] => select.all(query) };
}
