/** The port's methods that end purchases without content. */
import type { Answered, Asked, Tx } from "../operation.ts";
import { findBatch } from "../runs/batches.ts";
import { moveToDoubt, moveToReleased } from "./purchase-rows.ts";

/**
 * Writes: one purchase, its balances and counts. Idempotent: false when it was neither reserved nor started, or the lease is stale:
 * whoever has the batch by now may have sent the same token, and been charged.
 */
export function releasePurchase(
  tx: Tx,
  { leaseId, ...request }: Asked<"releasePurchase">,
): Answered<"releasePurchase"> {
  return leaseId !== undefined && findBatch(tx, leaseId, "acquire") === null ? false : moveToReleased(tx, request);
}

/** Writes: one purchase, its balances, counts and booking. Idempotent: false when it was not started. */
export function holdInDoubt(tx: Tx, request: Asked<"holdInDoubt">): Answered<"holdInDoubt"> {
  return moveToDoubt(tx, request);
}
