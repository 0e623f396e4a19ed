import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createUsageOutbox } from "../usage-outbox.ts";

/**
 * Counts an attempt before it is sent, so that the reporting window is never reckoned from too late an instant.
 * False when the fence is stale or the batch has an answer: then it must not be sent. Each call counts one.
 */
export function createRecordAttempt(core: LedgerCore): Ledger["recordAttempt"] {
  const { db, write } = core;
  const outbox = createUsageOutbox(core);
  const count = db.prepare<[number, number]>(
    "UPDATE usage_batch SET attempts = attempts + 1, first_attempt_at = coalesce(first_attempt_at, ?) WHERE id = ? AND state = 'frozen'",
  );
  return ({ fence, batchId, now }) => write(() => outbox.holdsFence(fence) && count.run(now, batchId).changes === 1);
}
