import { LicetError } from "../../../errors.ts";
import { multiplyMicros } from "../../../money/micros.ts";
import type { Ledger } from "../../ledger.ts";
import type { ResolvedBatch } from "../../usage-ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";

/**
 * A person's word on a report that was given up. Taken: its uses are settled at what was expected, as if no receipt had come. Not taken:
 * it is sent again, the same bytes under the same id, as one that was never sent. Writes a resolution, and closes its open item.
 * Not repeatable: a second call finds it resolved and throws.
 */
export function createResolveBatch(parts: LedgerParts): Ledger["resolveBatch"] {
  const { db, write, outbox, openItems, settleUses, describeId } = parts;
  const update = db.prepare<{ batchId: number; state: string; closedAt: number | null }>(
    `UPDATE usage_batch SET state = @state, closed_at = @closedAt, unknown_attempts = 0, unknown_since = NULL, not_before = 0
     WHERE id = @batchId`,
  );
  const resolve = db.prepare<[number, string, number]>(
    "INSERT INTO resolution (usage_batch_id, outcome, amount_micros, source, at) VALUES (?, ?, 0, 'operator', ?)",
  );

  return ({ batchId, taken, now }) =>
    write((): ResolvedBatch => {
      const batch = outbox.read(batchId);
      const before = outbox.stateOf(batchId);
      if (batch === null || before === null) {
        throw new LicetError("REPORT_NOT_FOUND", `there is no usage report ${batchId}`, {
          hint: describeId(batchId),
          details: { batchId },
        });
      }
      if (before !== "needs_reconcile") {
        throw new LicetError(
          "REPORT_NOT_TO_RECONCILE",
          `usage report ${batchId} is ${before}, there is nothing to reconcile`,
          {
            hint: describeId(batchId),
            details: { batchId, state: before },
          },
        );
      }
      const { idempotencyId, entries } = batch;
      if (taken) {
        const judge = ({ expectedUnitMicros, timesUsed, currency }: (typeof entries)[number]) => ({
          totalMicros: multiplyMicros(expectedUnitMicros, timesUsed),
          currency,
        });
        settleUses({ batchId, entries, before, judge });
      }
      update.run({ batchId, state: taken ? "settled" : "frozen", closedAt: taken ? now : null });
      resolve.run(batchId, taken ? "taken" : "not_taken", now);
      openItems.closeOf({ kind: "needs_reconcile", batchId, now });
      const uses = entries.reduce((sum, { timesUsed }) => sum + timesUsed, 0);
      return { batchId, idempotencyId, state: taken ? "settled" : "frozen", uses };
    });
}
