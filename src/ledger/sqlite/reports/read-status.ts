import type { DoubtReason } from "../../../purchase/purchase.ts";
import type { LedgerStatus } from "../../ledger-status.ts";
import { and, asc, count, eq, inArray, isNull, sql } from "../engine/drizzle.ts";
import { openItem } from "../schema/open-items.ts";
import { page, site } from "../schema/pages.ts";
import { purchase } from "../schema/purchases.ts";
import { run } from "../schema/runs.ts";
import { usageBatch, use } from "../schema/usage.ts";
import { asked, columns, IS_USE_OF_REPORT, isLiterally, micros, type Queries, type ReportTx } from "./queries.ts";
import { selectBatches } from "./read-batches.ts";
import { type CounterTotals, readCounters } from "./read-counters.ts";
import { readSpend } from "./read-spend.ts";

/** Rows of one kind that a status lists; past it the newest are left out, the totals still count them. */
const MAX_LISTED = 10_000;

/** All money, the outbox, and what a person has to look at. */
export function readStatus(tx: ReportTx): LedgerStatus {
  const counters = readCounters(tx);
  return {
    spend: readSpend(tx, "all"),
    usage: countUses(tx, counters),
    inDoubt: tx.rows(selectDoubts),
    openItems: tx.rows(selectOpenItems, { limit: MAX_LISTED }),
    // One entry of an index each: as few as what a person has to look at.
    totals: { inDoubt: tx.row(countDoubts)?.total ?? 0, openItems: tx.row(countItems)?.total ?? 0 },
    pagesStored: counters.of("page_held"),
    batches: tx.rows(selectBatches),
  };
}

const selectDoubts = (queries: Queries) =>
  queries
    .select({
      purchaseId: purchase.id,
      runId: run.name,
      url: page.url,
      quotedMicros: micros(purchase.quotedMicros),
      currency: purchase.currency,
      reason: sql<DoubtReason>`${purchase.reason}`,
      detail: sql<string>`coalesce(${purchase.detail}, '')`,
      at: sql<number>`${purchase.endedAt}`,
    })
    .from(purchase)
    .innerJoin(run, eq(run.id, purchase.runId))
    .innerJoin(page, eq(page.id, purchase.pageId))
    .where(isLiterally(purchase.state, "in_doubt"))
    .orderBy(asc(purchase.id))
    .limit(MAX_LISTED);

const countDoubts = (queries: Queries) =>
  queries.select({ total: count() }).from(purchase).where(isLiterally(purchase.state, "in_doubt"));

const countItems = (queries: Queries) =>
  queries.select({ total: count() }).from(openItem).where(isNull(openItem.closedAt));

function countUses(tx: ReportTx, counters: CounterTotals): LedgerStatus["usage"] {
  const needsReconcile = tx.row(countToReconcile)?.uses ?? 0;
  return {
    recorded: counters.uses,
    reported: counters.of("use_settled"),
    pending: counters.of("use_pending") + counters.of("use_batched") - needsReconcile,
    rejected: counters.of("use_rejected"),
    needsReconcile,
  };
}

// As many as the reports that need a person have, and those are few. CROSS JOIN keeps the order of the tables.
const countToReconcile = (queries: Queries) =>
  queries
    .select({ uses: count() })
    .from(usageBatch)
    .crossJoin(use)
    .where(
      and(
        inArray(usageBatch.state, ["frozen", "needs_reconcile"]).inlineParams(),
        isLiterally(usageBatch.state, "needs_reconcile"),
        IS_USE_OF_REPORT,
      ),
    );

/** What a person has to look at, oldest first. */
export const selectOpenItems = (queries: Queries) =>
  queries
    .select({
      ...columns(openItem, "id", "kind", "detail", "url", "batchId", "purchaseId"),
      host: site.host,
      ...columns(openItem, "count", "at"),
    })
    .from(openItem)
    .leftJoin(site, eq(site.id, openItem.siteId))
    .where(isNull(openItem.closedAt))
    .orderBy(asc(openItem.id))
    .limit(asked("limit"));
