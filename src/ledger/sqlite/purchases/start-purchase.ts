import type { Ledger } from "../../ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";

/** Writes: one purchase, `reserved → started` with its token. A batch that is run twice at once starts each purchase once (promise 3). */
export function createStartPurchase({ write, assertRoom, purchaseRows }: LedgerParts): Ledger["startPurchase"] {
  return async (start) => {
    assertRoom();
    return write(() => purchaseRows.start(start));
  };
}

/** Reads: the free room of the disk. */
export function createCheckRoom({ assertRoom }: LedgerParts): Ledger["checkRoom"] {
  return async () => assertRoom();
}

/** Writes: the token of one started indexing purchase. */
export function createRenewIndexingToken({ write, purchaseRows }: LedgerParts): Ledger["renewIndexingToken"] {
  return (renewal) => write(() => purchaseRows.renewIndexingToken(renewal));
}
