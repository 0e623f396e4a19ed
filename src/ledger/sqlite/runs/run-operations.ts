import type { RunLedger } from "../../run-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createBeginRun } from "./begin-run.ts";
import { createCancelRun } from "./cancel-run.ts";
import { createCreateRun } from "./create-run.ts";
import { createDiscardPlan } from "./discard-plan.ts";
import { createEndRun } from "./end-run.ts";
import { createLeaseBatches } from "./lease-batches.ts";
import { createListUnfinished } from "./list-unfinished.ts";
import { createPrune } from "./prune.ts";
import { createReadProgress } from "./read-progress.ts";
import { createRenewLease } from "./renew-lease.ts";
import { createRenewRun } from "./renew-run.ts";
import { createReturnBatch } from "./return-batch.ts";
import { createStopSite } from "./stop-site.ts";

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
