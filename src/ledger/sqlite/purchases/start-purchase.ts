import type { LedgerCore } from "../ledger-core.ts";
import type { Answered, Asked, Tx } from "../operation.ts";
import { moveToStarted, replaceToken } from "./purchase-rows.ts";

/**
 * Writes: one purchase, `reserved → started` with its token. A batch that is run twice at once starts each purchase once: a second call is
 * false (promise 3).
 */
export async function startPurchase(
  core: LedgerCore,
  start: Asked<"startPurchase">,
): Promise<Answered<"startPurchase">> {
  core.assertRoom();
  return core.write((tx) => moveToStarted(tx, start));
}

/** Reads: the free room of the disk. Writes nothing. */
export async function checkRoom(core: LedgerCore): Promise<Answered<"checkRoom">> {
  core.assertRoom();
}

/** Writes: the token of one started indexing purchase. A second call writes the same; false when the lease is stale. */
export function renewIndexingToken(tx: Tx, renewal: Asked<"renewIndexingToken">): Answered<"renewIndexingToken"> {
  return replaceToken(tx, renewal);
}
