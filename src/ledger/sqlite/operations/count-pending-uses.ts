import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

/** Counts what the outbox holds, from the indexes of pending uses and open batches. Those that need a person count as in batches. */
export function createCountPendingUses({ db, read }: LedgerCore): Ledger["countPendingUses"] {
  const countUnbatched = db.prepare<[], number>("SELECT count(*) FROM use WHERE state = 'pending'").pluck();
  const countBatched = db
    .prepare<[], number>(
      `SELECT count(*) FROM usage_batch b CROSS JOIN usage_entry e ON e.batch_id = b.id CROSS JOIN use u ON u.entry_id = e.id
       WHERE b.state IN ('frozen', 'needs_reconcile')`,
    )
    .pluck();
  const selectNext = db
    .prepare<[], number | null>(
      "SELECT min(not_before) FROM usage_batch WHERE state IN ('frozen', 'needs_reconcile') AND state = 'frozen'",
    )
    .pluck();
  return () =>
    read(() => ({
      unbatched: countUnbatched.get() as number,
      inBatches: countBatched.get() as number,
      nextAttemptAt: selectNext.get() ?? null,
    }));
}
