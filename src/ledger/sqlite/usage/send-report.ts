import { latestWaitEnd } from "../../../time/wait-end.ts";
import type { FrozenReport } from "../../usage-ledger.ts";
import type { Answered, Asked, Tx } from "../operation.ts";
import { openItem } from "./open-items.ts";
import { holdsFence, readReport } from "./outbox.ts";
import { reconcileUnanswered } from "./report-rows.ts";

/** As long as any report is put off (`maxReportBackoffMs`, and what a gateway may ask for). */
const LONGEST_REST_MS = 600_000;

const selectFirst = (order: string) =>
  `SELECT id FROM usage_batch WHERE state IN ('frozen', 'needs_reconcile') AND state = 'frozen' AND not_before <= ? ORDER BY ${order} LIMIT 1`;

const SELECT_NEXT = {
  oldest: selectFirst("id"),
  newest_half: selectFirst("parent_id IS NULL, iif(parent_id IS NULL, id, -id)"),
} as const;

// Since an instant that is still to come: the clock was set back. It is not known for longer than that.
const REWIND_REPORT =
  "UPDATE usage_batch SET unknown_since = ? WHERE state IN ('frozen', 'needs_reconcile') AND state = 'frozen' AND unknown_since > ?";

/**
 * The next frozen report that may be sent now; null when there is none, or the fence is stale.
 * Reads the few open reports (index usage_batch_open). Writes `needs_reconcile`, with an open item, for those whose outcome has been
 * unknown for more than `windowMs`: gateways need not remember an id for ever, so sending it again could report twice
 * (promise 5). What is reserved for their uses stays reserved. Idempotent.
 */
export function nextReport(
  tx: Tx,
  { fence, now, windowMs, order = "oldest" }: Asked<"nextReport">,
): Answered<"nextReport"> {
  if (!holdsFence(tx, fence)) {
    return null;
  }
  tx.run(REWIND_REPORT, now, now);
  tx.run`UPDATE usage_batch SET not_before = ${now} WHERE state IN ('frozen', 'needs_reconcile') AND state = 'frozen'
    AND not_before > ${latestWaitEnd(now, LONGEST_REST_MS)}`;
  for (const reportId of reconcileUnanswered(tx, now - windowMs, now)) {
    openItem(tx, {
      kind: "needs_reconcile",
      about: { reportId, entryId: null },
      detail: describeUnanswered(readReport(tx, reportId)),
      url: null,
      count: 1,
      at: now,
    });
  }
  const reportId = tx.value<number>(SELECT_NEXT[order], now);
  return reportId === undefined ? null : readReport(tx, reportId);
}

function describeUnanswered(batch: FrozenReport | null): string {
  const { idempotencyId, unknownAttempts, entries } = batch ?? { idempotencyId: "?", unknownAttempts: 0, entries: [] };
  return `the report ${idempotencyId} of ${entries.length} entries was sent ${unknownAttempts} times without a clear answer: ask the gateway whether it was taken`;
}

/**
 * Counts an attempt before it is sent, as one whose outcome is unknown: if the process dies, that is what it is. An answer that says
 * otherwise takes it back (`postponeReport`). False when the fence is stale or the report has an answer: then it must not be sent. Each call counts one.
 */
export function recordAttempt(tx: Tx, { fence, reportId, now }: Asked<"recordAttempt">): boolean {
  return (
    holdsFence(tx, fence) &&
    tx.changed`UPDATE usage_batch SET attempts = attempts + 1, first_attempt_at = coalesce(first_attempt_at, ${now}),
        unknown_attempts = unknown_attempts + 1, unknown_since = coalesce(unknown_since, ${now})
      WHERE id = ${reportId} AND state = 'frozen'`
  );
}

/** Characters kept of what went wrong. */
const MAX_DETAIL_CHARS = 500;

/**
 * Sets when a report without a usable answer is sent again, and how many of its attempts stay unknown: in the same transaction, so that
 * a crash never leaves a certain one unknown for good, or the other way round. False when the fence is stale or it has an answer.
 * Idempotent: the number is the whole, not a difference.
 */
export function postponeReport(
  tx: Tx,
  { fence, reportId, notBefore, detail: words, unknownAttempts }: Asked<"postponeReport">,
): boolean {
  const detail = words.slice(0, MAX_DETAIL_CHARS);
  return (
    holdsFence(tx, fence) &&
    tx.changed`UPDATE usage_batch
      SET not_before = ${notBefore}, detail = ${detail}, unknown_attempts = min(unknown_attempts, ${unknownAttempts}),
      unknown_since = iif(min(unknown_attempts, ${unknownAttempts}) = 0, NULL, unknown_since)
      WHERE id = ${reportId} AND state = 'frozen'`
  );
}
