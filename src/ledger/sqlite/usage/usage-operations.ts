import type { UsageLedger } from "../../usage-ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createLeaseFlusher, createReleaseFlusher, createRenewFlusher } from "./flusher-lease.ts";
import { createFreezeReport } from "./freeze-report.ts";
import { createCloseItem } from "./open-items.ts";
import { createCountPendingUses } from "./outbox.ts";
import { createRecordUses } from "./record-uses.ts";
import { createRejectReport, createRetryRejected } from "./reject-report.ts";
import { createResolveReport } from "./resolve-report.ts";
import { createNextReport, createPostponeReport, createRecordAttempt } from "./send-report.ts";
import { createSettleReport } from "./settle-report.ts";

/** The port's uses and their outbox, each method from its file. */
export function createUsageOperations(parts: LedgerParts): UsageLedger {
  return {
    closeItem: createCloseItem(parts),
    countPendingUses: createCountPendingUses(parts),
    freezeReport: createFreezeReport(parts),
    leaseFlusher: createLeaseFlusher(parts),
    nextReport: createNextReport(parts),
    postponeReport: createPostponeReport(parts),
    recordAttempt: createRecordAttempt(parts),
    recordUses: createRecordUses(parts),
    rejectReport: createRejectReport(parts),
    releaseFlusher: createReleaseFlusher(parts),
    renewFlusher: createRenewFlusher(parts),
    resolveReport: createResolveReport(parts),
    retryRejected: createRetryRejected(parts),
    settleReport: createSettleReport(parts),
  };
}
