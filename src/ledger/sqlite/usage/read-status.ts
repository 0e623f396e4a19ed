import { toMicros } from "../../../money/micros.ts";
import type { LedgerStatus } from "../../ledger-status.ts";
import { readCounters } from "../money/read-counters.ts";
import { readSpend } from "../money/read-spend.ts";
import type { ReadTx } from "../operation.ts";
import { readBatches } from "../runs/read-batches.ts";
import { listOpenItems } from "./open-items.ts";
import { IS_USE_OF_REPORT } from "./report-ranges.ts";

/** Rows of one kind that a status lists; past it the newest are left out, the totals still count them. */
const MAX_LISTED = 10_000;

/** The index of the reports that are open has them. CROSS JOIN keeps the order of the tables. */
const COUNT_TO_RECONCILE = `SELECT count(*) FROM usage_batch b CROSS JOIN use u ON ${IS_USE_OF_REPORT}
  WHERE b.state IN ('frozen', 'needs_reconcile') AND b.state = 'needs_reconcile'`;

/** All money, the outbox, and what a person has to look at. Every run asks it at its end, so no report is loaded for it. */
export function readStatus(tx: ReadTx): LedgerStatus {
  const counters = readCounters(tx);
  const needsReconcile = tx.value<number>(COUNT_TO_RECONCILE) ?? 0;
  return {
    spend: readSpend(tx, "all"),
    usage: {
      recorded: counters.uses,
      reported: counters.of("use_settled"),
      pending: counters.of("use_pending") + counters.of("use_batched") - needsReconcile,
      rejected: counters.of("use_rejected"),
      needsReconcile,
    },
    inDoubt: listDoubts(tx),
    openItems: listOpenItems(tx, MAX_LISTED),
    // One entry of an index each: as few as what a person has to look at.
    totals: {
      inDoubt: tx.value<number>`SELECT count(*) FROM purchase WHERE state = 'in_doubt'` ?? 0,
      openItems: tx.value<number>`SELECT count(*) FROM open_item WHERE closed_at IS NULL` ?? 0,
    },
    pagesStored: counters.of("page_held"),
    batches: readBatches(tx),
  };
}

function listDoubts(tx: ReadTx): LedgerStatus["inDoubt"] {
  const rows = tx.all<
    LedgerStatus["inDoubt"][number]
  >`SELECT p.id AS purchaseId, r.name AS runId, g.url, p.quoted_micros AS quotedMicros,
      p.currency, p.reason, coalesce(p.detail, '') AS detail, p.ended_at AS at
    FROM purchase p JOIN run r ON r.id = p.run_id JOIN page g ON g.id = p.page_id
    WHERE p.state = 'in_doubt' ORDER BY p.id LIMIT ${MAX_LISTED}`;
  return rows.map((row) => ({ ...row, quotedMicros: toMicros(row.quotedMicros) }));
}
