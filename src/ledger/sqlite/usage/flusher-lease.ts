import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";

/** A lease that ends later than so many times its length from now was taken by a clock that has been set back since. */
const MAX_LEASES_AHEAD = 2;

/**
 * Takes the one flusher's lease when it is free, has run out, or was taken by a wrong clock, and raises its fence: whatever a former
 * holder still says is stale. null while another holds it. Not idempotent: the same process asking twice finds its own lease taken.
 */
export function leaseFlusher(tx: ReadTx, { now, leaseMs }: Asked<"leaseFlusher">): Answered<"leaseFlusher"> {
  const fence = tx.value<number>`UPDATE flusher SET fence = fence + 1, expires_at = ${now + leaseMs} WHERE id = 1
    AND (expires_at IS NULL OR expires_at <= ${now} OR expires_at > ${now + MAX_LEASES_AHEAD * leaseMs}) RETURNING fence`;
  return fence === undefined ? null : { fence };
}

/** Extends the flusher's lease, also one that has run out while nobody else took it. False when stale. */
export function renewFlusher(tx: Tx, { fence, expiresAt }: Asked<"renewFlusher">): boolean {
  return tx.changed`UPDATE flusher SET expires_at = ${expiresAt} WHERE id = 1 AND fence = ${fence} AND expires_at IS NOT NULL`;
}

/** Frees the flusher's lease. A stale fence changes nothing. */
export function releaseFlusher(tx: Tx, fence: Asked<"releaseFlusher">): void {
  tx.run`UPDATE flusher SET expires_at = NULL WHERE id = 1 AND fence = ${fence}`;
}
