/** What a definite 4xx to a usage report means, before it may reject what was reported (decisions 0011 and 0012). */
import type { Ledger } from "../ledger/ledger.ts";
import type { FrozenBatch } from "../ledger/usage-ledger.ts";

/** A size limit that refuses the same bytes so often in a row has refused them before, too. */
const CONFIRMING_REFUSALS = 3;

/**
 * Whether a refusal leaves open what became of the report: its members must not move then (promise 5). After an attempt without an
 * answer, 409 may mean that the id was taken by that attempt, and 413 comes from something in front, which may have let that attempt
 * pass: it counts when it is repeated. A single entry is never too large.
 *
 * @param tooLarge 413s that each batch met in this flush; counted here
 */
export function leavesOpen(
  { batchId, attempts, entries }: FrozenBatch,
  status: number,
  tooLarge: Map<number, number>,
): boolean {
  if (status === 413) {
    const refusals = (tooLarge.get(batchId) ?? 0) + 1;
    tooLarge.set(batchId, refusals);
    return entries.length === 1 || (attempts >= refusals && refusals < CONFIRMING_REFUSALS);
  }
  return status === 409 && attempts > 0;
}

/**
 * Whether a refusal is about the endpoint and not about what was reported: halving the outbox would then reject all of it.
 * A 404 may also be about a page, but hardly before any report was ever accepted.
 */
export async function isMisdirected(ledger: Ledger, status: number): Promise<boolean> {
  if (status === 404) {
    return (await ledger.readStatus({ runs: 0 })).usage.reported === 0;
  }
  return status === 405 || status === 415;
}
