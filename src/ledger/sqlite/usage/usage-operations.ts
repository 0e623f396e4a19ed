import type { UsageLedger } from "../../usage-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createCloseItem } from "./close-item.ts";
import { createCountPendingUses } from "./count-pending-uses.ts";
import { createFreezeBatch } from "./freeze-batch.ts";
import { createLeaseFlusher } from "./lease-flusher.ts";
import { createNextBatch } from "./next-batch.ts";
import { createPostponeBatch } from "./postpone-batch.ts";
import { createRecordAttempt } from "./record-attempt.ts";
import { createRecordUses } from "./record-uses.ts";
import { createRejectBatch } from "./reject-batch.ts";
import { createReleaseFlusher } from "./release-flusher.ts";
import { createRenewFlusher } from "./renew-flusher.ts";
import { createResolveBatch } from "./resolve-batch.ts";
import { createRetryRejected } from "./retry-rejected.ts";
import { createSettleBatch } from "./settle-batch.ts";

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
