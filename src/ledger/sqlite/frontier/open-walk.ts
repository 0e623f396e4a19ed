import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createBatches } from "../runs/batches.ts";
import { createWalkStates } from "./walk-states.ts";

/** Reads: batch, run_site. */
export function createOpenWalk(core: LedgerCore): Ledger["openWalk"] {
  const batches = createBatches(core.db);
  const walks = createWalkStates(core.db);
  return (leaseId) =>
    core.read(() => {
      const batch = batches.find(leaseId, "walk");
      const walk = batch === null ? null : walks.read(batch.runId, batch.siteId);
      if (batch === null || walk === null) {
        return null;
      }
      return {
        runId: core.runs.nameOf(batch.runId),
        host: core.hosts.hostOf(batch.siteId),
        attempt: batch.fence,
        walk,
      };
    });
}
