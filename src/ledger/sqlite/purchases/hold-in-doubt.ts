import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createPurchaseDoubt } from "./purchase-doubt.ts";

/** Writes: one purchase, its balances and count; its resolution, where it costs nothing. Idempotent: null when it was not started. */
export function createHoldInDoubt(core: LedgerCore): Ledger["holdInDoubt"] {
  const hold = createPurchaseDoubt(core);
  return (request) => core.write(() => hold(request));
}
