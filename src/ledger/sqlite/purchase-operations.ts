import type { PurchaseLedger } from "../purchase-ledger.ts";
import type { LedgerCore } from "./ledger-core.ts";
import { createFindReserved } from "./operations/find-reserved.ts";
import { createFinishAcquireBatch } from "./operations/finish-acquire-batch.ts";
import { createHoldInDoubt } from "./operations/hold-in-doubt.ts";
import { createListUnderived } from "./operations/list-underived.ts";
import { createOpenAcquireBatch } from "./operations/open-acquire-batch.ts";
import { createReadDoubts } from "./operations/read-doubts.ts";
import { createRecordMarkdown } from "./operations/record-markdown.ts";
import { createReleasePurchase } from "./operations/release-purchase.ts";
import { createRenewIndexingToken } from "./operations/renew-indexing-token.ts";
import { createResolvePurchase } from "./operations/resolve-purchase.ts";
import { createSettlePurchase } from "./operations/settle-purchase.ts";
import { createStartPurchase } from "./operations/start-purchase.ts";

export function createPurchaseOperations(core: LedgerCore): PurchaseLedger {
  return {
    openAcquireBatch: createOpenAcquireBatch(core),
    findReserved: createFindReserved(core),
    startPurchase: createStartPurchase(core),
    renewIndexingToken: createRenewIndexingToken(core),
    settlePurchase: createSettlePurchase(core),
    readDoubts: createReadDoubts(core),
    recordMarkdown: createRecordMarkdown(core),
    listUnderived: createListUnderived(core),
    releasePurchase: createReleasePurchase(core),
    holdInDoubt: createHoldInDoubt(core),
    finishAcquireBatch: createFinishAcquireBatch(core),
    resolvePurchase: createResolvePurchase(core),
  };
}
