import { budgetBalanceKey } from "../../../budget/scope.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerFigures, TotalKind } from "../../ledger-figures.ts";
import { count, eq, isNull, sql } from "../engine/drizzle.ts";
import { openItem } from "../schema/open-item.ts";
import { purchase } from "../schema/purchase.ts";
import { site } from "../schema/site.ts";
import { siteTotal } from "../schema/site-total.ts";
import {
  createSelectAlerts,
  createSelectHints,
  createSelectSchedules,
  createSelectSweep,
} from "./figures-of-service.ts";
import { createSelectBatches, createSelectUnfinished } from "./figures-of-work.ts";
import { isLiterally, type ReportDeps } from "./queries.ts";
import { createSelectSpent } from "./read-alert-facts.ts";
import { createSelectBalance } from "./read-balances.ts";
import { createSelectCounters } from "./select-counters.ts";
import { createSelectSpend } from "./select-spend.ts";
import { createSelectUnreported } from "./select-unreported.ts";

/** Reads totals that are kept, and the indexes of what is open. */
export function createReadFigures(deps: ReportDeps): Ledger["readFigures"] {
  const { read } = deps;
  const selectTotals = createSelectTotals(deps);
  const selectSpend = createSelectSpend(deps);
  const selectBudgets = createSelectBudgets(deps);
  const selectOpen = createSelectOpen(deps);
  const selectDoubts = createSelectDoubts(deps);
  const selectItems = createSelectItems(deps);
  const selectCounters = createSelectCounters(deps);
  const selectUnreported = createSelectUnreported(deps);
  const selectUnfinished = createSelectUnfinished(deps);
  const selectBatches = createSelectBatches(deps);
  const selectHints = createSelectHints(deps);
  const selectSweep = createSelectSweep(deps);
  const selectSchedules = createSelectSchedules(deps);
  const selectAlerts = createSelectAlerts(deps);
  return (query) =>
    read((): LedgerFigures => {
      const totals = selectTotals.all();
      const doubts = selectDoubts();
      const counters = selectCounters();
      const sum = (kind: TotalKind) =>
        totals.reduce((total, one) => (one.kind === kind ? total + one.count : total), 0);
      return {
        totals,
        spend: query.hosts.flatMap((host) =>
          Object.entries(selectSpend(`site:${host}`)).map(([currency, { settledMicros }]) => {
            return { host, currency, settledMicros };
          }),
        ),
        budgets: selectBudgets(query),
        // Settled and released are ends: whatever came to them is still so.
        purchases: { ...selectOpen(), settled: sum("settled"), released: sum("released"), in_doubt: doubts.count },
        oldestDoubtAt: doubts.oldestAt,
        openItems: selectItems.all(),
        uses: {
          pending: counters.of("use_pending"),
          batched: counters.of("use_batched"),
          settled: counters.of("use_settled"),
          rejected: counters.of("use_rejected"),
          not_reported: counters.of("use_not_reported"),
        },
        oldestUnreportedAt: selectUnreported()?.oldestAt ?? null,
        unfinishedRuns: selectUnfinished(),
        batches: selectBatches(),
        hints: selectHints(),
        sweep: selectSweep(),
        schedules: selectSchedules(query.now),
        alerts: selectAlerts(),
      };
    });
}

/** As many rows as sites have kinds and reasons. */
function createSelectTotals({ queries }: ReportDeps) {
  return queries
    .select({ host: site.host, kind: siteTotal.kind, reason: siteTotal.reason, count: siteTotal.count })
    .from(siteTotal)
    .innerJoin(site, eq(site.id, siteTotal.siteId))
    .prepare();
}

function createSelectBudgets(
  deps: ReportDeps,
): (query: Parameters<Ledger["readFigures"]>[0]) => LedgerFigures["budgets"] {
  const select = createSelectBalance(deps);
  const selectSpent = createSelectSpent(deps);
  return ({ budgets, now }) =>
    budgets.flatMap((budget) => {
      const host = budget.scope.kind === "site" ? budget.scope.host : "";
      const key = budgetBalanceKey(budget, { host, runId: null, at: now });
      if (key === null) {
        return [];
      }
      const row = { ...key, currency: budget.currency };
      return [{ budget, balance: select(row).balance, isSpent: selectSpent(row, budget.limitMicros) !== null }];
    });
}

/** As many rows as pages are under way. */
function createSelectOpen({ queries }: ReportDeps): () => Pick<LedgerFigures["purchases"], "reserved" | "started"> {
  const select = queries
    .select({ state: purchase.state, count: count() })
    .from(purchase)
    .where(isNull(purchase.endedAt))
    .groupBy(purchase.state)
    .prepare();
  return () => {
    const counts = new Map(select.all().map((row) => [row.state, row.count]));
    return { reserved: counts.get("reserved") ?? 0, started: counts.get("started") ?? 0 };
  };
}

function createSelectDoubts({ queries }: ReportDeps) {
  const select = queries
    .select({ count: count(), oldestAt: sql<number | null>`min(${purchase.endedAt})` })
    .from(purchase)
    .where(isLiterally(purchase.state, "in_doubt"))
    .prepare();
  return () => select.get() ?? { count: 0, oldestAt: null };
}

function createSelectItems({ queries }: ReportDeps) {
  return queries
    .select({ kind: openItem.kind, count: count() })
    .from(openItem)
    .where(isNull(openItem.closedAt))
    .groupBy(openItem.kind)
    .prepare();
}
