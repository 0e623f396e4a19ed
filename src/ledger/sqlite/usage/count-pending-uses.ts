import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createSelectCounters } from "../reports/select-counters.ts";

/**
 * What the outbox holds, from the counters: the cost does not grow with it, since a run asks twice a second. Uses in reports that need a
 * person count as in batches.
 */
export function createCountPendingUses({ db, read }: LedgerCore): Ledger["countPendingUses"] {
  const selectCounters = createSelectCounters(db);
  const selectNext = db
    .prepare<[], number | null>(
      "SELECT min(not_before) FROM usage_batch WHERE state IN ('frozen', 'needs_reconcile') AND state = 'frozen'",
    )
    .pluck();
  return () =>
    read(() => {
      const counters = selectCounters();
      return {
        unbatched: counters.of("use_pending"),
        inBatches: counters.of("use_batched"),
        nextAttemptAt: selectNext.get() ?? null,
      };
    });
}
