import type { FetchLedger } from "../../fetch-ledger.ts";
import type { PurchaseLedger } from "../../purchase-ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createListUnderived, createRecordMarkdown } from "./derived-markdown.ts";
import { createHoldInDoubt, createReleasePurchase } from "./end-purchase.ts";
import { createFindUnderWay, createReadFetched } from "./fetched-pages.ts";
import { createFindHeld } from "./held-pages.ts";
import { createReadInvoiced } from "./invoiced-purchases.ts";
import { createFindReserved, createFinishAcquireBatch, createOpenAcquireBatch } from "./open-purchases.ts";
import { createReadDoubts, createResolvePurchase } from "./resolve-purchase.ts";
import { createSettlePurchase } from "./settle-purchase.ts";
import { createCheckRoom, createRenewIndexingToken, createStartPurchase } from "./start-purchase.ts";

export function createPurchaseOperations(parts: LedgerParts): PurchaseLedger & FetchLedger {
  return {
    openAcquireBatch: createOpenAcquireBatch(parts),
    findReserved: createFindReserved(parts),
    findHeld: createFindHeld(parts),
    findUnderWay: createFindUnderWay(parts),
    readFetched: createReadFetched(parts),
    checkRoom: createCheckRoom(parts),
    startPurchase: createStartPurchase(parts),
    renewIndexingToken: createRenewIndexingToken(parts),
    settlePurchase: createSettlePurchase(parts),
    readDoubts: createReadDoubts(parts),
    readInvoiced: createReadInvoiced(parts),
    recordMarkdown: createRecordMarkdown(parts),
    listUnderived: createListUnderived(parts),
    releasePurchase: createReleasePurchase(parts),
    holdInDoubt: createHoldInDoubt(parts),
    finishAcquireBatch: createFinishAcquireBatch(parts),
    resolvePurchase: createResolvePurchase(parts),
  };
}
