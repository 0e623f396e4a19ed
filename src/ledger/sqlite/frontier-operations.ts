import type { FrontierLedger } from "../frontier-ledger.ts";
import type { LedgerCore } from "./ledger-core.ts";
import { createDecide } from "./operations/decide.ts";
import { createEndWalk } from "./operations/end-walk.ts";
import { createFindBlocked } from "./operations/find-blocked.ts";
import { createFindElsewhere } from "./operations/find-elsewhere.ts";
import { createFinishQuoteBatch } from "./operations/finish-quote-batch.ts";
import { createOpenQuoteBatch } from "./operations/open-quote-batch.ts";
import { createOpenWalk } from "./operations/open-walk.ts";
import { createReadBalances } from "./operations/read-balances.ts";
import { createReadRepurchases } from "./operations/read-repurchases.ts";
import { createRecordCatalogPage } from "./operations/record-catalog-page.ts";

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
