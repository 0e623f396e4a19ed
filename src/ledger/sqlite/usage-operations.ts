import type { UsageLedger } from "../usage-ledger.ts";
import type { LedgerCore } from "./ledger-core.ts";
import { createCloseItem } from "./operations/close-item.ts";
import { createCountPendingUses } from "./operations/count-pending-uses.ts";
import { createFreezeBatch } from "./operations/freeze-batch.ts";
import { createLeaseFlusher } from "./operations/lease-flusher.ts";
import { createNextBatch } from "./operations/next-batch.ts";
import { createPostponeBatch } from "./operations/postpone-batch.ts";
import { createRecordAttempt } from "./operations/record-attempt.ts";
import { createRecordUses } from "./operations/record-uses.ts";
import { createRejectBatch } from "./operations/reject-batch.ts";
import { createReleaseFlusher } from "./operations/release-flusher.ts";
import { createRenewFlusher } from "./operations/renew-flusher.ts";
import { createResolveBatch } from "./operations/resolve-batch.ts";
import { createRetryRejected } from "./operations/retry-rejected.ts";
import { createSettleBatch } from "./operations/settle-batch.ts";

/** The port's uses and their outbox, each method from its file. */
export function createUsageOperations(core: LedgerCore): UsageLedger {
  return {
    closeItem: createCloseItem(core),
    countPendingUses: createCountPendingUses(core),
    freezeBatch: createFreezeBatch(core),
    leaseFlusher: createLeaseFlusher(core),
    nextBatch: createNextBatch(core),
    postponeBatch: createPostponeBatch(core),
    recordAttempt: createRecordAttempt(core),
    recordUses: createRecordUses(core),
    rejectBatch: createRejectBatch(core),
    releaseFlusher: createReleaseFlusher(core),
    renewFlusher: createRenewFlusher(core),
    resolveBatch: createResolveBatch(core),
    retryRejected: createRetryRejected(core),
    settleBatch: createSettleBatch(core),
  };
}
