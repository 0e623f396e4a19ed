import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createOpenItems } from "./open-items.ts";
import { createUsageOutbox } from "./usage-outbox.ts";

/** Longer than any report is put off (`maxReportBackoffMs`, and what a gateway may ask for): what waits for longer was put off by a clock that was ahead. */
const LONGEST_REST_MS = 600_000;

/**
 * The next frozen batch that may be sent now; null when there is none, or the fence is stale.
 * Reads the few open batches (index usage_batch_open). Writes `needs_reconcile`, with an open item, for those whose outcome has been
 * unknown for more than `windowMs`: gateways need not remember an id for ever, so sending it again could report twice
 * (promise 5). What is reserved for their uses stays reserved. Idempotent.
 */
export function createNextBatch(core: LedgerCore): Ledger["nextBatch"] {
  const { db, write } = core;
  const outbox = createUsageOutbox(core);
  const items = createOpenItems(db);
  const expire = db
    .prepare<[number, number], number>(
      "UPDATE usage_batch SET state = 'needs_reconcile', closed_at = ? WHERE state IN ('frozen', 'needs_reconcile') AND state = 'frozen' AND unknown_since < ? RETURNING id",
    )
    .pluck();
  // Since an instant that is still to come: the clock was set back. It is not known for longer than that.
  const rewind = db.prepare<[number, number]>(
    "UPDATE usage_batch SET unknown_since = ? WHERE state IN ('frozen', 'needs_reconcile') AND state = 'frozen' AND unknown_since > ?",
  );
  const awaken = db.prepare<[number, number]>(
    "UPDATE usage_batch SET not_before = ? WHERE state IN ('frozen', 'needs_reconcile') AND state = 'frozen' AND not_before > ?",
  );
  const prepareSelect = (order: string) =>
    db
      .prepare<[number], number>(
        `SELECT id FROM usage_batch WHERE state IN ('frozen', 'needs_reconcile') AND state = 'frozen' AND not_before <= ? ORDER BY ${order} LIMIT 1`,
      )
      .pluck();
  const select = {
    oldest: prepareSelect("id"),
    newest_half: prepareSelect("parent_id IS NULL, iif(parent_id IS NULL, id, -id)"),
  };
  return ({ fence, now, windowMs, order = "oldest" }) =>
    write(() => {
      if (!outbox.holdsFence(fence)) {
        return null;
      }
      rewind.run(now, now);
      awaken.run(now, now + LONGEST_REST_MS);
      for (const batchId of expire.all(now, now - windowMs)) {
        items.open({
          kind: "needs_reconcile",
          about: { batchId, entryId: null },
          detail: describeUnanswered(outbox.read(batchId)),
          url: null,
          count: 1,
          at: now,
        });
      }
      const batchId = select[order].get(now);
      return batchId === undefined ? null : outbox.read(batchId);
    });
}

function describeUnanswered(batch: ReturnType<ReturnType<typeof createUsageOutbox>["read"]>): string {
  const { idempotencyId, unknownAttempts, entries } = batch ?? { idempotencyId: "?", unknownAttempts: 0, entries: [] };
  return `the report ${idempotencyId} of ${entries.length} entries was sent ${unknownAttempts} times without a clear answer: ask the gateway whether it was taken`;
}
