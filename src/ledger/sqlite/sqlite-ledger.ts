import type { Ledger } from "../ledger.ts";
import { createFrontierOperations } from "./frontier-operations.ts";
import type { LedgerCore } from "./ledger-core.ts";
import { createPurchaseOperations } from "./purchase-operations.ts";
import { createReportOperations } from "./report-operations.ts";
import { createRunOperations } from "./run-operations.ts";
import { createUsageOperations } from "./usage-operations.ts";

/** The port over one SQLite file: each method is a file in `operations/`. */
export function createSqliteLedger(core: LedgerCore): Ledger {
  return {
    ...createRunOperations(core),
    ...createFrontierOperations(core),
    ...createPurchaseOperations(core),
    ...createUsageOperations(core),
    ...createReportOperations(core),
    async close() {
      core.close();
      core.db.close();
    },
  };
}
