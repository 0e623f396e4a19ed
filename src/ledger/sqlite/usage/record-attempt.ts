import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createUsageOutbox } from "./usage-outbox.ts";

/**
 * Counts an attempt before it is sent, as one whose outcome is unknown: if the process dies, that is what it is. An answer that says
 * otherwise takes it back (postpone-batch.ts). False when the fence is stale or the batch has an answer: then it must not be sent. Each call counts one.
 */
export function createRecordAttempt(core: LedgerCore): Ledger["recordAttempt"] {
  const { db, write } = core;
  const outbox = createUsageOutbox(core);
  const count = db.prepare<{ now: number; batchId: number }>(
    `UPDATE usage_batch SET attempts = attempts + 1, first_attempt_at = coalesce(first_attempt_at, @now),
       unknown_attempts = unknown_attempts + 1, unknown_since = coalesce(unknown_since, @now)
     WHERE id = @batchId AND state = 'frozen'`,
  );
  return ({ fence, batchId, now }) =>
    write(() => outbox.holdsFence(fence) && count.run({ now, batchId }).changes === 1);
}
