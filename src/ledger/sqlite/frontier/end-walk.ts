import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createBatches } from "../runs/batches.ts";
import { createQuoteFilling } from "./quote-filling.ts";
import { createWalkStates } from "./walk-states.ts";

/** Reads and writes: batch, run_site. Idempotent by lease. */
export function createEndWalk(core: LedgerCore): Ledger["endWalk"] {
  const batches = createBatches(core.db);
  const walks = createWalkStates(core.db);
  const filling = createQuoteFilling(core.db);
  return ({ leaseId, warning }) =>
    core.write(() => {
      const batch = batches.find(leaseId, "walk");
      const walk = batch === null ? null : walks.read(batch.runId, batch.siteId);
      if (batch === null || walk === null) {
        return false;
      }
      walks.write(batch.runId, batch.siteId, { ...walk, pageToken: null, ended: "cut" }, warning);
      batches.remove(batch);
      filling.finish(batch.runId, batch.siteId);
      return true;
    });
}
