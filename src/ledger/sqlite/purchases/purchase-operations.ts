import type { PurchaseLedger } from "../../purchase-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createFindReserved } from "./find-reserved.ts";
import { createFinishAcquireBatch } from "./finish-acquire-batch.ts";
import { createHoldInDoubt } from "./hold-in-doubt.ts";
import { createListUnderived } from "./list-underived.ts";
import { createOpenAcquireBatch } from "./open-acquire-batch.ts";
import { createReadDoubts } from "./read-doubts.ts";
import { createRecordMarkdown } from "./record-markdown.ts";
import { createReleasePurchase } from "./release-purchase.ts";
import { createRenewIndexingToken } from "./renew-indexing-token.ts";
import { createResolvePurchase } from "./resolve-purchase.ts";
import { createSettlePurchase } from "./settle-purchase.ts";
import { createStartPurchase } from "./start-purchase.ts";

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
