import type { DoubtReason } from "../../../purchase/purchase.ts";
import type { Ledger } from "../../ledger.ts";
import type { DoubtfulPurchase, LedgerStatus } from "../../ledger-status.ts";
import { and, asc, count, eq, inArray, isNull, sql } from "../engine/drizzle.ts";
import { openItem } from "../schema/open-item.ts";
import { page } from "../schema/page.ts";
import { purchase } from "../schema/purchase.ts";
import { run } from "../schema/run.ts";
import { usageBatch } from "../schema/usage-batch.ts";
import { usageEntry } from "../schema/usage-entry.ts";
import { use } from "../schema/use.ts";
import { isLiterally, isRun, micros, type ReportDeps } from "./queries.ts";
import { type Counters, createSelectCounters } from "./select-counters.ts";
import { createSelectOpenItems } from "./select-open-items.ts";
import { createSelectSpend } from "./select-spend.ts";

/** Rows of one kind that a status lists; past it the newest are left out, the totals still count them. */
const MAX_LISTED = 10_000;

/** All money, the outbox, and what a person has to look at. */
export function createReadStatus(deps: ReportDeps): Ledger["readStatus"] {
  const selectDoubts = createSelectDoubts(deps);
  const selectItems = createSelectOpenItems(deps);
  const selectCounters = createSelectCounters(deps);
  const selectSpend = createSelectSpend(deps);
  const countUses = createCountUses(deps);
  const countListed = createCountListed(deps);
  return () =>
    deps.read(() => {
      const counters = selectCounters();
      return {
        spend: selectSpend("all"),
        usage: countUses(counters),
        inDoubt: selectDoubts(),
        openItems: selectItems(MAX_LISTED),
        totals: countListed(),
        pagesStored: counters.of("page_held"),
      };
    });
}

function createSelectDoubts({ queries }: ReportDeps): () => DoubtfulPurchase[] {
  const select = queries
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
    .limit(MAX_LISTED)
    .prepare();
  return () => select.all();
}

/** Reads one entry of an index for each: as few as what a person has to look at. */
function createCountListed({ queries }: ReportDeps): () => LedgerStatus["totals"] {
  const countDoubts = queries
    .select({ total: count() })
    .from(purchase)
    .where(isLiterally(purchase.state, "in_doubt"))
    .prepare();
  const countItems = queries.select({ total: count() }).from(openItem).where(isNull(openItem.closedAt)).prepare();
  return () => ({ inDoubt: countDoubts.get()?.total ?? 0, openItems: countItems.get()?.total ?? 0 });
}

function createCountUses({ queries }: ReportDeps): (counters: Counters) => LedgerStatus["usage"] {
  // As many as the reports that need a person have, and those are few. CROSS JOIN keeps the order of the tables.
  const countToReconcile = queries
    .select({ uses: count() })
    .from(usageBatch)
    .crossJoin(usageEntry)
    .crossJoin(use)
    .where(
      and(
        inArray(usageBatch.state, ["frozen", "needs_reconcile"]).inlineParams(),
        isLiterally(usageBatch.state, "needs_reconcile"),
        eq(usageEntry.batchId, usageBatch.id),
        eq(use.entryId, usageEntry.id),
      ),
    )
    .prepare();
  return (counters) => {
    const needsReconcile = countToReconcile.get()?.uses ?? 0;
    return {
      recorded: counters.uses,
      reported: counters.of("use_settled"),
      pending: counters.of("use_pending") + counters.of("use_batched") - needsReconcile,
      rejected: counters.of("use_rejected"),
      needsReconcile,
    };
  };
}

/** Reads: the first run. Plans are not counted: they leave nothing behind. */
export function createHasRuns({ queries, read }: ReportDeps): Ledger["hasRuns"] {
  const select = queries.select({ id: run.id }).from(run).where(isRun()).orderBy(asc(run.id)).limit(1).prepare();
  return () => read(() => select.get() !== undefined);
}
