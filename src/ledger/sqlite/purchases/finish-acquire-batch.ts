import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createBatches } from "../runs/batches.ts";

/** Reads: purchase. Writes: batch, run_site. False when stale, as after the first call, or when purchases are still open. */
export function createFinishAcquireBatch(core: LedgerCore): Ledger["finishAcquireBatch"] {
  const batches = createBatches(core.db);
  const hasOpen = core.db
    .prepare<[number], number>("SELECT 1 FROM purchase WHERE batch_id = ? AND ended_at IS NULL LIMIT 1")
    .pluck();
  return (leaseId) =>
    core.write(() => {
      const batch = batches.find(leaseId, "acquire");
      if (batch === null || hasOpen.get(batch.id) !== undefined) {
        return false;
      }
      batches.remove(batch);
      return true;
    });
}
