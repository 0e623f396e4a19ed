import type { LeaseLedger } from "../../lease-ledger.ts";
import type { RunLedger } from "../../run-ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createBeginRun } from "./begin-run.ts";
import { createCancelRun } from "./cancel-run.ts";
import { createReadClockWord, createRecordClockWord } from "./clock-words.ts";
import { createEndRun } from "./end-run.ts";
import { createFreeRun } from "./free-run.ts";
import { createReadLatestInstant } from "./latest-instant.ts";
import { createLeaseBatches, createReadProgress, createRenewLease, createReturnBatch } from "./leases.ts";
import { createDiscardPlan } from "./leftovers.ts";
import { createCreateRun } from "./new-run.ts";
import { createPrune } from "./prune.ts";
import { createStopSite } from "./stop-site.ts";
import { createListUnfinished, createRenewRun } from "./unfinished-runs.ts";

export function createRunOperations(parts: LedgerParts): RunLedger & LeaseLedger {
  return {
    createRun: createCreateRun(parts),
    beginRun: createBeginRun(parts),
    cancelRun: createCancelRun(parts),
    freeRun: createFreeRun(parts),
    renewRun: createRenewRun(parts),
    listUnfinished: createListUnfinished(parts),
    readLatestInstant: createReadLatestInstant(parts),
    readClockWord: createReadClockWord(parts),
    recordClockWord: createRecordClockWord(parts),
    endRun: createEndRun(parts),
    discardPlan: createDiscardPlan(parts),
    stopSite: createStopSite(parts),
    leaseBatches: createLeaseBatches(parts),
    renewLease: createRenewLease(parts),
    returnBatch: createReturnBatch(parts),
    readProgress: createReadProgress(parts),
    prune: createPrune(parts),
  };
}
