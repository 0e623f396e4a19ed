import type { LedgerCore } from "../ledger-core.ts";
import type { Asked } from "../operation.ts";
import { moveToStarted } from "./purchase-rows.ts";

/**
 * Writes: one purchase, `reserved → started` with its token. A batch that is run twice at once starts each purchase once: a second call is
 * false (promise 3).
 */
export async function startPurchase(core: LedgerCore, start: Asked<"startPurchase">): Promise<boolean> {
  core.room.lookOnce();
  return core.write((tx) => moveToStarted(tx, start));
}

/** Reads: the free room of the disk. Writes nothing. */
export async function checkRoom(core: LedgerCore): Promise<void> {
  core.room.look();
}
