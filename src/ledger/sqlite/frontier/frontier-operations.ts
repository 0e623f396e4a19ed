import type { FrontierLedger } from "../../frontier-ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createReadBalances } from "../reports/read-balances.ts";
import { createReadRepurchases } from "../reports/read-repurchases.ts";
import { createDecide } from "./decide.ts";
import { createFindElsewhere } from "./find-elsewhere.ts";
import { createFindBlocked, createFinishQuoteBatch, createOpenQuoteBatch } from "./quote-batches.ts";
import { createRecordCatalogPage } from "./record-catalog-page.ts";
import { createEndWalk, createOpenWalk } from "./walks.ts";

export function createFrontierOperations(parts: LedgerParts): FrontierLedger {
  return {
    openWalk: createOpenWalk(parts),
    recordCatalogPage: createRecordCatalogPage(parts),
    endWalk: createEndWalk(parts),
    openQuoteBatch: createOpenQuoteBatch(parts),
    decide: createDecide(parts),
    finishQuoteBatch: createFinishQuoteBatch(parts),
    findBlocked: createFindBlocked(parts),
    readRepurchases: createReadRepurchases(parts),
    findElsewhere: createFindElsewhere(parts),
    readBalances: createReadBalances(parts),
  };
}
