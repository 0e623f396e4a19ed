import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

/** Frees the flusher's lease. A stale fence changes nothing. */
export function createReleaseFlusher({ db, write }: LedgerCore): Ledger["releaseFlusher"] {
  const free = db.prepare<[number]>("UPDATE flusher SET expires_at = NULL WHERE id = 1 AND fence = ?");
  return (fence) =>
    write(() => {
      free.run(fence);
    });
}
