import type { Ledger } from "../ledger.ts";
import { createFrontierOperations } from "./frontier/frontier-operations.ts";
import type { LedgerCore } from "./ledger-core.ts";
import { createLedgerParts } from "./ledger-parts.ts";
import { createPurchaseOperations } from "./purchases/purchase-operations.ts";
import { createReportOperations } from "./reports/report-operations.ts";
import { createRunOperations } from "./runs/run-operations.ts";
import { createUsageOperations } from "./usage/usage-operations.ts";

/** The port over one SQLite file: each part of it has a room beside this file. */
export function createSqliteLedger(core: LedgerCore): Ledger {
  const parts = createLedgerParts(core);
  return {
    ...createRunOperations(parts),
    ...createFrontierOperations(parts),
    ...createPurchaseOperations(parts),
    ...createUsageOperations(parts),
    ...createReportOperations(parts),
    async close() {
      core.close();
      core.db.close();
    },
  };
}
