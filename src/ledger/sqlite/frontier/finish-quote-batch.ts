import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createBatches } from "../runs/batches.ts";

/** Writes: frontier, batch. Idempotent by lease. */
export function createFinishQuoteBatch(core: LedgerCore): Ledger["finishQuoteBatch"] {
  const batches = createBatches(core.db);
  const setDecided = core.db.prepare<[number]>(
    "UPDATE frontier SET state = 'decided', batch_id = NULL WHERE batch_id = ?",
  );
  return (leaseId) =>
    core.write(() => {
      const batch = batches.find(leaseId, "quote");
      if (batch === null) {
        return false;
      }
      setDecided.run(batch.id);
      batches.remove(batch);
      return true;
    });
}
