import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { parseLeaseId } from "../runs/batches.ts";

/**
 * Writes: one purchase, `reserved → started` with its token, if it is still reserved and the lease is the batch's newest: one
 * compare-and-set, so that a batch run twice at once starts each purchase once (promise 3).
 */
export function createStartPurchase(core: LedgerCore): Ledger["startPurchase"] {
  const update = core.db.prepare<[number, string, number, number, number, number]>(
    `UPDATE purchase SET state = 'started', started_at = ?, token = ?, token_expires_at = ?
     WHERE id = ? AND state = 'reserved' AND batch_id = (SELECT id FROM batch WHERE id = ? AND fence = ? AND state = 'leased')`,
  );
  return async ({ leaseId, purchaseId, token, tokenExpiresAt, now }) => {
    core.assertRoom();
    return core.write(() => {
      const lease = parseLeaseId(leaseId);
      return (
        lease !== null && update.run(now, token, tokenExpiresAt, purchaseId, lease.batchId, lease.attempt).changes === 1
      );
    });
  };
}

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
      return (
        lease !== null && update.run(token, tokenExpiresAt, purchaseId, lease.batchId, lease.attempt).changes === 1
      );
    });
}
