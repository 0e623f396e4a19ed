import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

interface NewestRow {
  readonly runAt: number;
  readonly purchaseAt: number | null;
}

/**
 * Reads: run, purchase, each by the end of its row ids. The newest rows, and not the greatest instants: after a person has accepted a
 * clock that is behind (`RunOptions.trustClock`), the rows of the accepted clock are the newest ones. For the same reason, purchases
 * count only when they were made after the newest run had begun.
 */
export function createReadLatestInstant(core: LedgerCore): Ledger["readLatestInstant"] {
  const select = core.db.prepare<[], NewestRow>(
    `SELECT max(started_at, coalesce(resumed_at, 0), coalesce(ended_at, 0)) AS runAt,
       (SELECT max(p.reserved_at, coalesce(p.ended_at, 0)) FROM purchase p WHERE p.id > run.purchases_after
        ORDER BY p.id DESC LIMIT 1) AS purchaseAt
     FROM run WHERE kind <> 'planning' ORDER BY run.id DESC LIMIT 1`,
  );
  return async () => {
    const newest = select.get();
    return newest === undefined ? null : Math.max(newest.runAt, newest.purchaseAt ?? 0);
  };
}
