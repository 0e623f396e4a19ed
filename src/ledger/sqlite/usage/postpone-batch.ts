import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createUsageOutbox } from "./usage-outbox.ts";

/** Characters kept of what went wrong. */
const MAX_DETAIL_CHARS = 500;

/**
 * Sets when a batch without a usable answer is sent again, and how many of its attempts stay unknown: in the same transaction, so that
 * a crash never leaves a certain one unknown for good, or the other way round. False when the fence is stale or it has an answer.
 * Idempotent: the number is the whole, not a difference.
 */
export function createPostponeBatch(core: LedgerCore): Ledger["postponeBatch"] {
  const { db, write } = core;
  const outbox = createUsageOutbox(core);
  const postpone = db.prepare<{ notBefore: number; detail: string; unknownAttempts: number; batchId: number }>(
    `UPDATE usage_batch SET not_before = @notBefore, detail = @detail, unknown_attempts = min(unknown_attempts, @unknownAttempts),
       unknown_since = iif(min(unknown_attempts, @unknownAttempts) = 0, NULL, unknown_since)
     WHERE id = @batchId AND state = 'frozen'`,
  );
  return ({ fence, batchId, notBefore, detail: words, unknownAttempts }) => {
    const detail = words.slice(0, MAX_DETAIL_CHARS);
    return write(
      () => outbox.holdsFence(fence) && postpone.run({ notBefore, detail, unknownAttempts, batchId }).changes === 1,
    );
  };
}
