import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createBatches } from "../runs/batches.ts";
import { createPurchaseRelease } from "./purchase-release.ts";

/**
 * Writes: one purchase, its balances and count. Idempotent: false when it was neither reserved nor started, or the lease is stale:
 * whoever has the batch by now may have sent the same token, and been charged.
 */
export function createReleasePurchase(core: LedgerCore): Ledger["releasePurchase"] {
  const release = createPurchaseRelease(core);
  const batches = createBatches(core.db);
  return ({ leaseId, ...request }) =>
    core.write(() => (leaseId !== undefined && batches.find(leaseId, "acquire") === null ? false : release(request)));
}
