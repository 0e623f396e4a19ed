import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createEntryUses } from "./entry-uses.ts";
import { createOpenItems } from "./open-items.ts";

/**
 * Uses that were refused alone wait to be reported again, in new batches under new ids; their open items are closed. The refused
 * batches stay as they are, without uses. Only what is recorded as rejected moves, which was never taken: a batch that may have been
 * is never rejected (promise 5). Idempotent: a second call finds nothing.
 */
export function createRetryRejected(core: LedgerCore): Ledger["retryRejected"] {
  const { db, write, tallies } = core;
  const items = createOpenItems(db);
  const entryUses = createEntryUses(core);
  const selectBatches = db
    .prepare<[], number>(
      `SELECT DISTINCT e.batch_id FROM usage_batch b CROSS JOIN usage_entry e ON e.batch_id = b.id CROSS JOIN use u ON u.entry_id = e.id
       WHERE b.state = 'rejected' AND u.state = 'rejected'`,
    )
    .pluck();
  const free = db.prepare<[number]>(
    `UPDATE use SET state = 'pending', entry_id = NULL
     WHERE entry_id IN (SELECT id FROM usage_entry WHERE batch_id = ?) AND state = 'rejected'`,
  );
  return ({ now }) =>
    write(() => {
      let uses = 0;
      for (const batchId of selectBatches.all()) {
        for (const { runId, siteId, count } of entryUses.countsOf(batchId)) {
          if (runId !== null) {
            tallies.add({ runId, siteId, kind: "use_rejected" }, -count);
          }
        }
        uses += free.run(batchId).changes;
        items.closeOf({ kind: "rejected_entry", batchId, now });
      }
      return { uses };
    });
}
