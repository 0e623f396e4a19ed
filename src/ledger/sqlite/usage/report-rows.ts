/**
 * The only file that writes the state of a usage report (`usage_batch`), and its frozen bytes. A report that is taken is booked with its movement.
 * Called within a write.
 */
import { REPORT_TAKEN } from "../../../account/use-accounts.ts";
import type { ReportState } from "../../report-reports.ts";
import type { ReadTx, Tx } from "../operation.ts";

export interface NewReport {
  readonly idempotencyId: string;
  readonly body: Uint8Array;
  readonly bodyHash: Uint8Array;
  /** The rejected report that it is a half of; null: it is not. */
  readonly parentId: number | null;
  readonly entryIds: EntryIds;
  /** Of a plain report (plain-reports.ts); null: its entries have rows. */
  readonly firstUseId: number | null;
  readonly now: number;
}

/** The range of the ids of a report's entries: no other entry lies in it. */
export interface EntryIds {
  readonly first: number;
  readonly last: number;
}

/** Frozen. @returns its id */
export function insertReport(tx: Tx, report: NewReport): number {
  const { idempotencyId, body, bodyHash, parentId, entryIds, firstUseId, now } = report;
  const { first, last } = entryIds;
  return tx.insert`INSERT INTO usage_batch (idempotency_id, body, body_hash, state, parent_id, created_at, first_entry_id, last_entry_id,
      first_use_id) VALUES (${idempotencyId}, ${body}, ${bodyHash}, 'frozen', ${parentId}, ${now}, ${first}, ${last}, ${firstUseId})`;
}

/** It has been spelled out (plain-reports.ts). */
export function forgetPlain(tx: Tx, reportId: number): void {
  tx.run`UPDATE usage_batch SET first_use_id = NULL WHERE id = ${reportId}`;
}

/** Null when there is no such report. */
export function readReportState(tx: ReadTx, reportId: number): ReportState | null {
  return tx.value<ReportState>`SELECT state FROM usage_batch WHERE id = ${reportId}` ?? null;
}

/** No attempt's outcome is unknown any more. */
const IS_ANSWERED = "unknown_attempts = 0, unknown_since = NULL";

export interface ReportTaken {
  readonly reportId: number;
  /** For each entry came a receipt that says what the entry says, word for word. */
  readonly receiptsAsExpected: boolean;
  readonly now: number;
}

/** The gateway has taken it, or a person says so. It must not be settled already. */
export function moveToTaken(tx: Tx, { reportId, receiptsAsExpected, now }: ReportTaken): void {
  tx.run(
    `UPDATE usage_batch SET state = 'settled', closed_at = ?, receipts_as_expected_at = ?, ${IS_ANSWERED} WHERE id = ?`,
    now,
    receiptsAsExpected ? now : null,
    reportId,
  );
  tx.bookings.add({ kind: REPORT_TAKEN, of: { reportId }, at: now });
}

/** The gateway has refused it as a whole. */
export function moveToRejected(tx: Tx, reportId: number, detail: string, now: number): void {
  tx.run(
    `UPDATE usage_batch SET state = 'rejected', detail = ?, closed_at = ?, ${IS_ANSWERED} WHERE id = ?`,
    detail,
    now,
    reportId,
  );
}

/** It was not taken, a person says: it is sent again, as one that was never sent. */
export function moveToFrozen(tx: Tx, reportId: number): void {
  tx.run(
    `UPDATE usage_batch SET state = 'frozen', closed_at = NULL, not_before = 0, ${IS_ANSWERED} WHERE id = ?`,
    reportId,
  );
}

// Queries name the states just so, else SQLite does not see that the index `usage_batch_open` covers them.
const IS_FROZEN = "state IN ('frozen', 'needs_reconcile') AND state = 'frozen'";

/** Frozen reports without an answer for too long need a person. @returns their ids */
export function reconcileUnanswered(tx: ReadTx, unknownBefore: number, now: number): number[] {
  return tx.values<number>(
    `UPDATE usage_batch SET state = 'needs_reconcile', closed_at = ? WHERE ${IS_FROZEN} AND unknown_since < ? RETURNING id`,
    now,
    unknownBefore,
  );
}

/** Frozen reports of a copy need a person: each counts as sent once more since the copy was made, without an answer. @returns their ids */
export function reconcileCopied(tx: ReadTx, madeAt: number, now: number): number[] {
  return tx.values<number>(
    `UPDATE usage_batch SET state = 'needs_reconcile', closed_at = @now, attempts = attempts + 1,
       unknown_attempts = unknown_attempts + 1, first_attempt_at = coalesce(first_attempt_at, @madeAt),
       unknown_since = coalesce(unknown_since, first_attempt_at, @madeAt)
     WHERE ${IS_FROZEN} RETURNING id`,
    { madeAt, now },
  );
}
