import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { parseLeaseId } from "../runs/batches.ts";

/** Writes: the token of one started indexing purchase. A purchase that costs money keeps its token for life (promise 3). */
export function createRenewIndexingToken(core: LedgerCore): Ledger["renewIndexingToken"] {
  const update = core.db.prepare<[string, number, number, number, number]>(
    `UPDATE purchase SET token = ?, token_expires_at = ?
     WHERE id = ? AND state = 'started' AND intent = 'indexing'
       AND batch_id = (SELECT id FROM batch WHERE id = ? AND fence = ? AND state = 'leased')`,
  );
  return ({ leaseId, purchaseId, token, tokenExpiresAt }) =>
    core.write(() => {
      const lease = parseLeaseId(leaseId);
      return lease !== null && update.run(token, tokenExpiresAt, purchaseId, lease.batchId, lease.fence).changes === 1;
    });
}
