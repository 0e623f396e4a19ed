import { LicetError } from "../../../errors.ts";
import { multiplyMicros } from "../../../money/micros.ts";
import type { ResolvedReport } from "../../usage-ledger.ts";
import { recordAct } from "../acts/record-act.ts";
import type { Asked, Tx } from "../operation.ts";
import { closeItemsOf, describeId } from "./open-items.ts";
import { readReport } from "./outbox.ts";
import { spellOut } from "./plain-reports.ts";
import { moveToFrozen, moveToTaken, readReportState } from "./report-rows.ts";
import { settleUses } from "./report-uses.ts";

/**
 * A person's word on a report that was given up. Taken: its uses are settled at what was expected, as if no receipt had come. Not taken:
 * it is sent again, the same bytes under the same id, as one that was never sent. Writes a resolution and an act, and closes its open item.
 * Not repeatable: a second call finds it resolved and throws.
 */
export function resolveReport(tx: Tx, { reportId, taken, who, now }: Asked<"resolveReport">): ResolvedReport {
  const batch = readReport(tx, reportId);
  const before = readReportState(tx, reportId);
  if (batch === null || before === null) {
    throw new LicetError("REPORT_NOT_FOUND", `there is no usage report ${reportId}`, {
      hint: describeId(tx, reportId),
      details: { batchId: reportId },
    });
  }
  if (before !== "needs_reconcile") {
    throw new LicetError(
      "REPORT_NOT_TO_RECONCILE",
      `usage report ${reportId} is ${before}, there is nothing to reconcile`,
      {
        hint: describeId(tx, reportId),
        details: { batchId: reportId, state: before },
      },
    );
  }
  const { idempotencyId, entries } = batch;
  if (taken) {
    const toCharge = ({ expectedUnitMicros, timesUsed, currency }: (typeof entries)[number]) => ({
      totalMicros: multiplyMicros(expectedUnitMicros, timesUsed),
      currency,
    });
    // No receipt says what its entries came to.
    spellOut(tx, reportId);
    settleUses(tx, { reportId, entries, before, toCharge });
    moveToTaken(tx, { reportId, receiptsAsExpected: false, now });
  } else {
    moveToFrozen(tx, reportId);
  }
  tx.run`INSERT INTO resolution (usage_batch_id, outcome, amount_micros, source, at)
    VALUES (${reportId}, ${taken ? "taken" : "not_taken"}, 0, 'operator', ${now})`;
  recordAct(tx, { kind: taken ? "report_taken" : "report_not_taken", who, reportId, now });
  closeItemsOf(tx, { kind: "needs_reconcile", reportId, now });
  const uses = entries.reduce((sum, { timesUsed }) => sum + timesUsed, 0);
  return { batchId: reportId, idempotencyId, state: taken ? "settled" : "frozen", uses };
}
