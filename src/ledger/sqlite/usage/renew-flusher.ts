import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

/** Extends the flusher's lease, also one that has run out while nobody else took it. False when stale. */
export function createRenewFlusher({ db, write }: LedgerCore): Ledger["renewFlusher"] {
  const renew = db.prepare<[number, number]>(
    "UPDATE flusher SET expires_at = ? WHERE id = 1 AND fence = ? AND expires_at IS NOT NULL",
  );
  return ({ fence, expiresAt }) => write(() => renew.run(expiresAt, fence).changes === 1);
}
