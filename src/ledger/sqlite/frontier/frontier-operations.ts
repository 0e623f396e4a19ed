import type { FrontierLedger } from "../../frontier-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createDecide } from "./decide.ts";
import { createEndWalk } from "./end-walk.ts";
import { createFindBlocked } from "./find-blocked.ts";
import { createFindElsewhere } from "./find-elsewhere.ts";
import { createFinishQuoteBatch } from "./finish-quote-batch.ts";
import { createOpenQuoteBatch } from "./open-quote-batch.ts";
import { createOpenWalk } from "./open-walk.ts";
import { createReadBalances } from "./read-balances.ts";
import { createReadRepurchases } from "./read-repurchases.ts";
import { createRecordCatalogPage } from "./record-catalog-page.ts";

export function createFrontierOperations(core: LedgerCore): FrontierLedger {
  return {
    openWalk: createOpenWalk(core),
    recordCatalogPage: createRecordCatalogPage(core),
    endWalk: createEndWalk(core),
    openQuoteBatch: createOpenQuoteBatch(core),
    decide: createDecide(core),
    finishQuoteBatch: createFinishQuoteBatch(core),
    findBlocked: createFindBlocked(core),
    readRepurchases: createReadRepurchases(core),
    findElsewhere: createFindElsewhere(core),
    readBalances: createReadBalances(core),
  };
}
