import type { OpenedAcquireBatch } from "../../ledger/purchase-ledger.ts";
import type { WorkerDeps } from "../stage-deps.ts";
import type { SlowStart } from "./slow-start.ts";

/** What the pages of one acquire batch share. */
export interface AcquireContext {
  readonly deps: WorkerDeps;
  readonly leaseId: string;
  readonly batch: OpenedAcquireBatch;
  /** Once aborted, no new purchase is started. Purchases that are started are finished. */
  readonly signal: AbortSignal;
  readonly slowStart: SlowStart;
}
