import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createPurchaseRelease } from "../purchase-release.ts";

/** Writes: one purchase, its balances and count. Idempotent: false when it was neither reserved nor started. */
export function createReleasePurchase(core: LedgerCore): Ledger["releasePurchase"] {
  const release = createPurchaseRelease(core);
  return (request) => core.write(() => release(request));
}
