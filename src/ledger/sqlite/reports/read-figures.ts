import { budgetBalanceKey } from "../../../budget/scope.ts";
import { addMicros } from "../../../money/micros.ts";
import { UNFINISHED_STATES } from "../../../run/run-state.ts";
import type { LedgerFigures, TotalKind } from "../../ledger-figures.ts";
import { and, count, eq, inArray, isNull, sql } from "../engine/drizzle.ts";
import { readBalance } from "../money/read-balances.ts";
import { readCounters } from "../money/read-counters.ts";
import { readSpend } from "../money/read-spend.ts";
import type { Asked } from "../operation.ts";
import { readBatches } from "../runs/read-batches.ts";
import { siteTotal } from "../schema/counts.ts";
import { openItem } from "../schema/open-items.ts";
import { site } from "../schema/pages.ts";
import { purchase } from "../schema/purchases.ts";
import { run } from "../schema/runs.ts";
import { countDeliveries, readSchedules, selectHints, selectSweep } from "./figures-of-service.ts";
import { isLiterally, isRun, type Queries, type ReportTx } from "./queries.ts";
import { readSpentAt } from "./read-alert-facts.ts";
import { readUnreported } from "./read-unreported.ts";

/** Reads totals that are kept, and the indexes of what is open. */
export function readFigures(tx: ReportTx, query: Asked<"readFigures">): LedgerFigures {
  const totals = tx.rows(selectTotals);
  const doubts = tx.row(selectDoubts) ?? { count: 0, oldestAt: null };
  const counters = readCounters(tx);
  const sum = (kind: TotalKind) => totals.reduce((total, one) => (one.kind === kind ? total + one.count : total), 0);
  return {
    totals,
    spend: query.hosts.flatMap((host) =>
      Object.entries(readSpend(tx, `site:${host}`)).map(([currency, { settledMicros, feeMicros }]) => {
        return { host, currency, spentMicros: addMicros(settledMicros, feeMicros) };
      }),
    ),
    budgets: readBudgets(tx, query),
    // Settled and released are ends: whatever came to them is still so.
    purchases: { ...countOpen(tx), settled: sum("settled"), released: sum("released"), in_doubt: doubts.count },
    oldestDoubtAt: doubts.oldestAt,
    openItems: tx.rows(selectItems),
    uses: {
      pending: counters.of("use_pending"),
      batched: counters.of("use_batched"),
      settled: counters.of("use_settled"),
      rejected: counters.of("use_rejected"),
      not_reported: counters.of("use_not_reported"),
    },
    oldestUnreportedAt: readUnreported(tx)?.oldestAt ?? null,
    unfinishedRuns: tx.rows(selectUnfinished),
    batches: readBatches(tx),
    hints: tx.rows(selectHints),
    sweep: tx.row(selectSweep) ?? null,
    schedules: readSchedules(tx, query.now),
    alerts: countDeliveries(tx),
  };
}

/** As many rows as sites have kinds and reasons. */
const selectTotals = (queries: Queries) =>
  queries
    .select({ host: site.host, kind: siteTotal.kind, reason: siteTotal.reason, count: siteTotal.count })
    .from(siteTotal)
    .innerJoin(site, eq(site.id, siteTotal.siteId));

function readBudgets(tx: ReportTx, { budgets, now }: Asked<"readFigures">): LedgerFigures["budgets"] {
  return budgets.flatMap((budget) => {
    const host = budget.scope.kind === "site" ? budget.scope.host : "";
    const key = budgetBalanceKey(budget, { host, runId: null, at: now });
    if (key === null) {
      return [];
    }
    const row = { ...key, currency: budget.currency };
    const isSpent = readSpentAt(tx, row, budget.limitMicros) !== null;
    return [{ budget, balance: readBalance(tx, row).balance, isSpent }];
  });
}

/** As many rows as pages are under way. */
function countOpen(tx: ReportTx): Pick<LedgerFigures["purchases"], "reserved" | "started"> {
  const counts = new Map(tx.rows(selectOpen).map((row) => [row.state, row.count]));
  return { reserved: counts.get("reserved") ?? 0, started: counts.get("started") ?? 0 };
}

const selectOpen = (queries: Queries) =>
  queries
    .select({ state: purchase.state, count: count() })
    .from(purchase)
    .where(isNull(purchase.endedAt))
    .groupBy(purchase.state);

const selectDoubts = (queries: Queries) =>
  queries
    .select({ count: count(), oldestAt: sql<number | null>`min(${purchase.endedAt})` })
    .from(purchase)
    .where(isLiterally(purchase.state, "in_doubt"));

const selectItems = (queries: Queries) =>
  queries
    .select({ kind: openItem.kind, count: count() })
    .from(openItem)
    .where(isNull(openItem.closedAt))
    .groupBy(openItem.kind);

/** As many rows as runs that can be resumed. */
const selectUnfinished = (queries: Queries) =>
  queries
    .select({ state: run.state, count: count() })
    .from(run)
    // The condition of the index of unfinished runs.
    .where(and(isRun(), inArray(run.state, UNFINISHED_STATES).inlineParams()))
    .groupBy(run.state);
