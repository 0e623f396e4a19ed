import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createBatches } from "../runs/batches.ts";
import { createProof } from "../runs/site-proof.ts";
import { OPEN_PURCHASE, type OpenPurchaseRow, toOpenPurchase } from "./open-purchases.ts";

/** Reads: batch, purchase, page, license, tally. */
export function createOpenAcquireBatch(core: LedgerCore): Ledger["openAcquireBatch"] {
  const batches = createBatches(core.db);
  const isProven = createProof(core.db);
  const select = core.db.prepare<[number], OpenPurchaseRow>(
    `SELECT ${OPEN_PURCHASE} FROM purchase u JOIN page p ON p.id = u.page_id
     WHERE u.batch_id = ? AND u.ended_at IS NULL ORDER BY u.id`,
  );
  return (leaseId) =>
    core.read(() => {
      const batch = batches.find(leaseId, "acquire");
      if (batch === null) {
        return null;
      }
      return {
        runId: core.runs.nameOf(batch.runId),
        host: core.hosts.hostOf(batch.siteId),
        attempt: batch.fence,
        isProven: isProven(batch.runId, batch.siteId),
        purchases: select.all(batch.id).map((row) => toOpenPurchase(core, row)),
      };
    });
}
