import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { parseLeaseId } from "./batches.ts";

/** Writes: one batch, ready again at `notBefore`. False when the lease is stale, as it is after the first call. */
export function createReturnBatch(core: LedgerCore): Ledger["returnBatch"] {
  const update = core.db.prepare<[number, number, number]>(
    "UPDATE batch SET state = 'ready', ready_at = ? WHERE id = ? AND fence = ? AND state = 'leased'",
  );
  return ({ leaseId, notBefore }) =>
    core.write(() => {
      const lease = parseLeaseId(leaseId);
      return lease !== null && update.run(notBefore, lease.batchId, lease.fence).changes === 1;
    });
}
