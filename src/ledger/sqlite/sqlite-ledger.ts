import type { Ledger } from "../ledger.ts";
import { createAlertOperations } from "./alerts/alert-operations.ts";
import { createCandidateOperations } from "./candidates/candidate-operations.ts";
import { createCopyOperations } from "./copies/copy-operations.ts";
import { createDocumentOperations } from "./documents/document-operations.ts";
import { createFrontierOperations } from "./frontier/frontier-operations.ts";
import { createHintOperations } from "./hints/hint-operations.ts";
import type { LedgerCore } from "./ledger-core.ts";
import { createLedgerParts } from "./ledger-parts.ts";
import { createListOperations } from "./lists/list-operations.ts";
import { createPurchaseOperations } from "./purchases/purchase-operations.ts";
import { createReportsOnDemand, type LoadReports, loadReports } from "./reports/reports-on-demand.ts";
import { createRightsOperations } from "./rights/rights-operations.ts";
import { createRunOperations } from "./runs/run-operations.ts";
import { createScheduleOperations } from "./schedules/schedule-operations.ts";
import { createServiceOperations } from "./service/service-operations.ts";
import { createUsageOperations } from "./usage/usage-operations.ts";

/**
 * The port over one SQLite file: each part of it has a room beside this file.
 * @param load how the reports are loaded; a simulation, where no time may pass for that, passes loaded ones
 */
export function createSqliteLedger(core: LedgerCore, load: LoadReports = loadReports): Ledger {
  const parts = createLedgerParts(core);
  return {
    ...createRunOperations(parts),
    ...createFrontierOperations(parts),
    ...createCandidateOperations(parts),
    ...createPurchaseOperations(parts),
    ...createUsageOperations(parts),
    ...createServiceOperations(core),
    ...createHintOperations(parts),
    ...createListOperations(parts),
    ...createScheduleOperations(core),
    ...createCopyOperations(parts),
    ...createRightsOperations(parts),
    ...createAlertOperations(core),
    ...createDocumentOperations(core),
    ...createReportsOnDemand(parts, load),
    async close() {
      core.close();
      core.db.close();
    },
  };
}
