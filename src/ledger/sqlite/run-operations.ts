import type { RunLedger } from "../run-ledger.ts";
import type { LedgerCore } from "./ledger-core.ts";
import { createBeginRun } from "./operations/begin-run.ts";
import { createCancelRun } from "./operations/cancel-run.ts";
import { createCreateRun } from "./operations/create-run.ts";
import { createDiscardPlan } from "./operations/discard-plan.ts";
import { createEndRun } from "./operations/end-run.ts";
import { createLeaseBatches } from "./operations/lease-batches.ts";
import { createListUnfinished } from "./operations/list-unfinished.ts";
import { createPrune } from "./operations/prune.ts";
import { createReadProgress } from "./operations/read-progress.ts";
import { createRenewLease } from "./operations/renew-lease.ts";
import { createRenewRun } from "./operations/renew-run.ts";
import { createReturnBatch } from "./operations/return-batch.ts";
import { createStopSite } from "./operations/stop-site.ts";

export function createRunOperations(core: LedgerCore): RunLedger {
  return {
    createRun: createCreateRun(core),
    beginRun: createBeginRun(core),
    cancelRun: createCancelRun(core),
    renewRun: createRenewRun(core),
    listUnfinished: createListUnfinished(core),
    endRun: createEndRun(core),
    discardPlan: createDiscardPlan(core),
    stopSite: createStopSite(core),
    leaseBatches: createLeaseBatches(core),
    renewLease: createRenewLease(core),
    returnBatch: createReturnBatch(core),
    readProgress: createReadProgress(core),
    prune: createPrune(core),
  };
}
