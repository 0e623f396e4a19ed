import { latestWaitEnd } from "../../../time/wait-end.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import type { createUsageOutbox } from "./outbox.ts";

/** As long as any report is put off (`maxReportBackoffMs`, and what a gateway may ask for). */
const LONGEST_REST_MS = 600_000;

/**
 * The next frozen report that may be sent now; null when there is none, or the fence is stale.
 * Reads the few open reports (index usage_batch_open). Writes `needs_reconcile`, with an open item, for those whose outcome has been
 * unknown for more than `windowMs`: gateways need not remember an id for ever, so sending it again could report twice
 * (promise 5). What is reserved for their uses stays reserved. Idempotent.
 */
export function createNextReport(parts: LedgerParts): Ledger["nextReport"] {
  const { db, write, outbox, openItems } = parts;
  const expire = db
    .prepare<[number, number], number>(
      "UPDATE usage_batch SET state = 'needs_reconcile', closed_at = ? WHERE state IN ('frozen', 'needs_reconcile') AND state = 'frozen' AND unknown_since < ? RETURNING id",
    )
    .pluck();
  // Since an instant that is still to come: the clock was set back. It is not known for longer than that.
  const rewind = db.prepare<[number, number]>(
    "UPDATE usage_batch SET unknown_since = ? WHERE state IN ('frozen', 'needs_reconcile') AND state = 'frozen' AND unknown_since > ?",
  );
  const awaken = db.prepare<[number, number]>(
    "UPDATE usage_batch SET not_before = ? WHERE state IN ('frozen', 'needs_reconcile') AND state = 'frozen' AND not_before > ?",
  );
  const prepareSelect = (order: string) =>
    db
      .prepare<[number], number>(
        `SELECT id FROM usage_batch WHERE state IN ('frozen', 'needs_reconcile') AND state = 'frozen' AND not_before <= ? ORDER BY ${order} LIMIT 1`,
      )
      .pluck();
  const select = {
    oldest: prepareSelect("id"),
    newest_half: prepareSelect("parent_id IS NULL, iif(parent_id IS NULL, id, -id)"),
  };
  return ({ fence, now, windowMs, order = "oldest" }) =>
    write(() => {
      if (!outbox.holdsFence(fence)) {
        return null;
      }
      rewind.run(now, now);
      awaken.run(now, latestWaitEnd(now, LONGEST_REST_MS));
      for (const reportId of expire.all(now, now - windowMs)) {
        openItems.open({
          kind: "needs_reconcile",
          about: { reportId, entryId: null },
          detail: describeUnanswered(outbox.read(reportId)),
          url: null,
          count: 1,
          at: now,
        });
      }
      const reportId = select[order].get(now);
      return reportId === undefined ? null : outbox.read(reportId);
    });
}

function describeUnanswered(batch: ReturnType<ReturnType<typeof createUsageOutbox>["read"]>): string {
  const { idempotencyId, unknownAttempts, entries } = batch ?? { idempotencyId: "?", unknownAttempts: 0, entries: [] };
  return `the report ${idempotencyId} of ${entries.length} entries was sent ${unknownAttempts} times without a clear answer: ask the gateway whether it was taken`;
}

/**
 * Counts an attempt before it is sent, as one whose outcome is unknown: if the process dies, that is what it is. An answer that says
 * otherwise takes it back (`postponeReport`). False when the fence is stale or the report has an answer: then it must not be sent. Each call counts one.
 */
export function createRecordAttempt(parts: LedgerParts): Ledger["recordAttempt"] {
  const { db, write, outbox } = parts;
  const count = db.prepare<{ now: number; reportId: number }>(
    `UPDATE usage_batch SET attempts = attempts + 1, first_attempt_at = coalesce(first_attempt_at, @now),
       unknown_attempts = unknown_attempts + 1, unknown_since = coalesce(unknown_since, @now)
     WHERE id = @reportId AND state = 'frozen'`,
  );
  return ({ fence, reportId, now }) =>
    write(() => outbox.holdsFence(fence) && count.run({ now, reportId }).changes === 1);
}

/** Characters kept of what went wrong. */
const MAX_DETAIL_CHARS = 500;

/**
 * Sets when a report without a usable answer is sent again, and how many of its attempts stay unknown: in the same transaction, so that
 * a crash never leaves a certain one unknown for good, or the other way round. False when the fence is stale or it has an answer.
 * Idempotent: the number is the whole, not a difference.
 */
export function createPostponeReport(parts: LedgerParts): Ledger["postponeReport"] {
  const { db, write, outbox } = parts;
  const postpone = db.prepare<{ notBefore: number; detail: string; unknownAttempts: number; reportId: number }>(
    `UPDATE usage_batch SET not_before = @notBefore, detail = @detail, unknown_attempts = min(unknown_attempts, @unknownAttempts),
       unknown_since = iif(min(unknown_attempts, @unknownAttempts) = 0, NULL, unknown_since)
     WHERE id = @reportId AND state = 'frozen'`,
  );
  return ({ fence, reportId, notBefore, detail: words, unknownAttempts }) => {
    const detail = words.slice(0, MAX_DETAIL_CHARS);
    return write(
      () => outbox.holdsFence(fence) && postpone.run({ notBefore, detail, unknownAttempts, reportId }).changes === 1,
    );
  };
}
