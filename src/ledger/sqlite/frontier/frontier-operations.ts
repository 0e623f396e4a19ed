import type { FrontierLedger } from "../../frontier-ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import type { ReportOperations } from "../reports/report-operations.ts";
import { createDecide } from "./decide.ts";
import { createFindElsewhere } from "./find-elsewhere.ts";
import { createFindBlocked, createFinishQuoteBatch, createOpenQuoteBatch } from "./quote-batches.ts";
import { createRecordCatalogPage } from "./record-catalog-page.ts";
import { createEndWalk, createOpenWalk } from "./walks.ts";

export function createFrontierOperations(parts: LedgerParts): Omit<FrontierLedger, keyof ReportOperations> {
  return {
    openWalk: createOpenWalk(parts),
    recordCatalogPage: createRecordCatalogPage(parts),
    endWalk: createEndWalk(parts),
    openQuoteBatch: createOpenQuoteBatch(parts),
    decide: createDecide(parts),
    finishQuoteBatch: createFinishQuoteBatch(parts),
    findBlocked: createFindBlocked(parts),
    findElsewhere: createFindElsewhere(parts),
  };
}
