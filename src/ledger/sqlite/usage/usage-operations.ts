import type { UsageLedger } from "../../usage-ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createLeaseFlusher, createReleaseFlusher, createRenewFlusher } from "./flusher-lease.ts";
import { createFreezeBatch } from "./freeze-report.ts";
import { createCloseItem } from "./open-items.ts";
import { createCountPendingUses } from "./outbox.ts";
import { createRecordUses } from "./record-uses.ts";
import { createRejectBatch, createRetryRejected } from "./reject-report.ts";
import { createResolveBatch } from "./resolve-report.ts";
import { createNextBatch, createPostponeBatch, createRecordAttempt } from "./send-report.ts";
import { createSettleBatch } from "./settle-report.ts";

/** The port's uses and their outbox, each method from its file. */
export function createUsageOperations(parts: LedgerParts): UsageLedger {
  return {
    closeItem: createCloseItem(parts),
    countPendingUses: createCountPendingUses(parts),
    freezeBatch: createFreezeBatch(parts),
    leaseFlusher: createLeaseFlusher(parts),
    nextBatch: createNextBatch(parts),
    postponeBatch: createPostponeBatch(parts),
    recordAttempt: createRecordAttempt(parts),
    recordUses: createRecordUses(parts),
    rejectBatch: createRejectBatch(parts),
    releaseFlusher: createReleaseFlusher(parts),
    renewFlusher: createRenewFlusher(parts),
    resolveBatch: createResolveBatch(parts),
    retryRejected: createRetryRejected(parts),
    settleBatch: createSettleBatch(parts),
  };
}
