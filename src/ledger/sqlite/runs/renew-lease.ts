import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { parseLeaseId } from "./batches.ts";

/** Writes: the end of one batch's lease. False when the lease is stale. */
export function createRenewLease(core: LedgerCore): Ledger["renewLease"] {
  const update = core.db.prepare<[number, number, number]>(
    "UPDATE batch SET ready_at = ? WHERE id = ? AND fence = ? AND state = 'leased'",
  );
  return ({ leaseId, expiresAt }) =>
    core.write(() => {
      const lease = parseLeaseId(leaseId);
      return lease !== null && update.run(expiresAt, lease.batchId, lease.fence).changes === 1;
    });
}
