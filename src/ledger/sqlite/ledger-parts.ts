/**
 * What several operations share, each made once: with it its prepared statements. Built from the bottom up, so that a part is handed what
 * it stands on and none makes another one for itself.
 */
import { type CandidateRows, createCandidateRows } from "./candidates/candidate-rows.ts";
import { createFrontierDrop } from "./frontier/frontier-drop.ts";
import { createFrontierRebuild } from "./frontier/frontier-rebuild.ts";
import { createQuoteFilling, type QuoteFilling } from "./frontier/quote-filling.ts";
import { createWaitingPages, type WaitingPages } from "./frontier/waiting-pages.ts";
import { createWalkStates, type WalkStates } from "./frontier/walks.ts";
import { createHintEnd } from "./hints/end-hints.ts";
import type { LedgerCore } from "./ledger-core.ts";
import { createPurchaseDoubt, createPurchaseRelease } from "./purchases/end-purchase.ts";
import { createPurchaseRows, type PurchaseRows } from "./purchases/purchase-rows.ts";
import { createPurchaseResolution } from "./purchases/resolve-purchase.ts";
import { createTakeBack } from "./purchases/take-back.ts";
import { createAssignRun } from "./runs/assign-run.ts";
import { type Batches, createBatches } from "./runs/batches.ts";
import { createRunClosing, createRunPause } from "./runs/end-run.ts";
import { createHighWater, type HighWater } from "./runs/high-water.ts";
import { createLastingStops, type LastingStops } from "./runs/lasting-stops.ts";
import { createLeftoverClearing, createPlanDiscard } from "./runs/leftovers.ts";
import { createRunInsert } from "./runs/new-run.ts";
import { createRunChain, type RunChain } from "./runs/run-chain.ts";
import { createProof } from "./runs/run-counters.ts";
import { createRunRows, IS_PLANNING, type RunRows } from "./runs/run-rows.ts";
import { createSiteStop } from "./runs/stop-site.ts";
import { createUnfinishedRuns } from "./runs/unfinished-runs.ts";
import { createDescribeId, createOpenItems, type OpenItems } from "./usage/open-items.ts";
import { createUsageOutbox, type UsageOutbox } from "./usage/outbox.ts";
import { createEntryUses, createSettledUses, type EntryUses } from "./usage/report-uses.ts";
import { createFindUseLicense } from "./usage/use-license.ts";

export interface LedgerParts extends LedgerCore {
  // Runs, their sites, and the batches of work.
  readonly batches: Batches;
  readonly runRows: RunRows;
  readonly highWater: HighWater;
  readonly runChain: RunChain;
  readonly lastingStops: LastingStops;
  readonly isProven: ReturnType<typeof createProof>;
  readonly listUnfinished: ReturnType<typeof createUnfinishedRuns>;
  readonly listPlannings: ReturnType<typeof createUnfinishedRuns>;
  readonly stopSites: ReturnType<typeof createSiteStop>;
  readonly insertRun: ReturnType<typeof createRunInsert>;
  readonly assignRun: ReturnType<typeof createAssignRun>;
  readonly closeRun: ReturnType<typeof createRunClosing>;
  readonly pauseRun: ReturnType<typeof createRunPause>;
  readonly removePlan: ReturnType<typeof createPlanDiscard>;
  readonly clearLeftovers: ReturnType<typeof createLeftoverClearing>;
  // The frontier.
  readonly walks: WalkStates;
  readonly quoteFilling: QuoteFilling;
  readonly waitingPages: WaitingPages;
  readonly candidateRows: CandidateRows;
  readonly dropFrontier: ReturnType<typeof createFrontierDrop>;
  readonly rebuildFrontier: ReturnType<typeof createFrontierRebuild>;
  readonly endHints: ReturnType<typeof createHintEnd>;
  // Purchases, and how they end.
  readonly purchaseRows: PurchaseRows;
  readonly releasePurchase: ReturnType<typeof createPurchaseRelease>;
  readonly holdInDoubt: ReturnType<typeof createPurchaseDoubt>;
  readonly resolveDoubt: ReturnType<typeof createPurchaseResolution>;
  readonly takeBack: ReturnType<typeof createTakeBack>;
  // Uses, reports, and what a person has to look at.
  readonly outbox: UsageOutbox;
  readonly entryUses: EntryUses;
  readonly settleUses: ReturnType<typeof createSettledUses>;
  readonly findUseLicense: ReturnType<typeof createFindUseLicense>;
  readonly openItems: OpenItems;
  readonly describeId: ReturnType<typeof createDescribeId>;
}

export function createLedgerParts(core: LedgerCore): LedgerParts {
  const { db } = core;
  const hints = { ...core, endHints: createHintEnd(core.db), candidateRows: createCandidateRows(core) };
  const rows = {
    ...hints,
    batches: createBatches(db),
    runRows: createRunRows(db),
    highWater: createHighWater(db),
    runChain: createRunChain(db),
    isProven: createProof(db),
    listUnfinished: createUnfinishedRuns(db),
    listPlannings: createUnfinishedRuns(db, IS_PLANNING),
    closeRun: createRunClosing(hints),
    walks: createWalkStates(db),
    quoteFilling: createQuoteFilling(db),
    dropFrontier: createFrontierDrop(core),
    purchaseRows: createPurchaseRows(core),
    outbox: createUsageOutbox(core),
    entryUses: createEntryUses(core),
    findUseLicense: createFindUseLicense(db),
    openItems: createOpenItems(db),
    describeId: createDescribeId(db),
  };
  const removing = {
    ...rows,
    removePlan: createPlanDiscard(rows),
    releasePurchase: createPurchaseRelease(rows),
    resolveDoubt: createPurchaseResolution(rows),
  };
  const ending = {
    ...removing,
    clearLeftovers: createLeftoverClearing(removing),
    settleUses: createSettledUses(rows),
    holdInDoubt: createPurchaseDoubt(removing),
    takeBack: createTakeBack(removing),
    waitingPages: createWaitingPages(rows),
    rebuildFrontier: createFrontierRebuild(rows),
  };
  const stopping = {
    ...ending,
    assignRun: createAssignRun(ending),
    pauseRun: createRunPause(ending),
    stopSites: createSiteStop(ending),
  };
  const lasting = { ...stopping, lastingStops: createLastingStops(stopping) };
  return { ...lasting, insertRun: createRunInsert(lasting) };
}
