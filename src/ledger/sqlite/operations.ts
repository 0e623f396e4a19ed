/**
 * The ledger: every operation of the port, by its name. Each is a function in the room of its part (operation.ts says how they are written). What is
 * read for people is not in this table: it is loaded with the first report (reports/). A new operation is a method of the port and a name here.
 */
import { acknowledgeAlert } from "./alerts/acknowledge-alert.ts";
import { endDelivery, retryGivenUp, takeDeliveries } from "./alerts/deliveries.ts";
import { admitReceivers, raiseAlerts } from "./alerts/raise-alerts.ts";
import { rankCandidates } from "./candidates/candidate-rows.ts";
import { decideCandidates } from "./candidates/decide-candidates.ts";
import { findCandidates, readCandidates, readWorths } from "./candidates/read-candidates.ts";
import { recordCandidates } from "./candidates/record-candidates.ts";
import { acceptCopy, readCopy, readCopyRisks } from "./copies/accept-copy.ts";
import {
  advanceCursor,
  fixRange,
  readCursorProcess,
  readLastSettled,
  releaseCursor,
  renewCursor,
  takeCursor,
} from "./documents/cursors.ts";
import { indexHashes } from "./evidence/index-hashes.ts";
import { decide } from "./frontier/decide.ts";
import { findElsewhere } from "./frontier/find-elsewhere.ts";
import { findObstacles } from "./frontier/find-obstacles.ts";
import { openQuoteBatch } from "./frontier/quote-batches.ts";
import { recordCatalogPage } from "./frontier/record-catalog-page.ts";
import { endWalk, openWalk } from "./frontier/walks.ts";
import { admitHints } from "./hints/admit-hints.ts";
import { countHints, listDueHints, listHintsOf, readHintWork } from "./hints/due-hints.ts";
import { recordHints } from "./hints/record-hints.ts";
import { readSweep, recordSweep, recordSweepFailure } from "./hints/sweeps.ts";
import type { LedgerCore } from "./ledger-core.ts";
import { findListRun, readIntake } from "./lists/list-positions.ts";
import { readPlanBasis } from "./lists/new-list.ts";
import { recordLines } from "./lists/record-lines.ts";
import { closeMonth } from "./money/closed-months.ts";
import { readBalances } from "./money/read-balances.ts";
import { readDay } from "./money/read-spend.ts";
import type { InOne, InPieces, ReadTx, Tx } from "./operation.ts";
import { listUnderived, recordMarkdown } from "./purchases/derived-markdown.ts";
import { findUnderWay, readFetched } from "./purchases/fetched-pages.ts";
import { findHeld } from "./purchases/held-pages.ts";
import { readInvoiced } from "./purchases/invoiced-purchases.ts";
import {
  findReserved,
  finishAcquireBatch,
  openAcquireBatch,
  releasePurchase,
  reserveAnew,
} from "./purchases/open-purchases.ts";
import { holdInDoubt, renewIndexingToken } from "./purchases/purchase-rows.ts";
import { readDoubts, resolvePurchase } from "./purchases/resolve-purchase.ts";
import { settlePurchase } from "./purchases/settle-purchase.ts";
import { checkRoom, startPurchase } from "./purchases/start-purchase.ts";
import { type LoadReports, loadReports } from "./reports/reports-on-demand.ts";
import { admitRenewals, listRenewals } from "./rights/admit-renewals.ts";
import { cleanFile } from "./rights/clean-file.ts";
import { purge } from "./rights/purge-content.ts";
import { readExpiring } from "./rights/read-expiring.ts";
import { readLost } from "./rights/read-lost.ts";
import { beginFetch } from "./runs/begin-fetch.ts";
import { beginRun } from "./runs/begin-run.ts";
import { cancelRun } from "./runs/cancel-run.ts";
import { recordClockWord } from "./runs/clock-words.ts";
import { endRun } from "./runs/end-run.ts";
import { endFetchBatch, settleLast } from "./runs/fetch-batches.ts";
import { freeRun } from "./runs/free-run.ts";
import { hasRuns } from "./runs/has-runs.ts";
import { readClockEvidence, readLatestInstant } from "./runs/latest-instant.ts";
import { leaseBatches, readProgress, renewLease, returnBatch } from "./runs/leases.ts";
import { discardPlan } from "./runs/leftovers.ts";
import { createRun } from "./runs/new-run.ts";
import { pauseSite, readPauses, unpauseSite } from "./runs/pause-site.ts";
import { prune } from "./runs/prune.ts";
import { readRun } from "./runs/read-run.ts";
import { readStops } from "./runs/read-stops.ts";
import { stopSite } from "./runs/stop-site.ts";
import { listUnfinished, renewRun } from "./runs/unfinished-runs.ts";
import { readOwedAfter, setSchedules } from "./schedules/schedules.ts";
import { claimSlot, endSlot, listOpenSlots, missSlots, startSlot, takeSlot, trimSlots } from "./schedules/slots.ts";
import { readSlotsAhead, takeBackSlotsAhead } from "./schedules/slots-ahead.ts";
import { readService, readWorkers, releaseService, renewService, takeService } from "./service/service-lease.ts";
import { shortenLog } from "./service/shorten-log.ts";
import { readWaits, writeWaits } from "./service/waits.ts";
import { leaseFlusher, releaseFlusher, renewFlusher } from "./usage/flusher-lease.ts";
import { freezeReport } from "./usage/freeze-report.ts";
import { closeItem } from "./usage/open-items.ts";
import { countPendingUses } from "./usage/outbox.ts";
import { readStatus } from "./usage/read-status.ts";
import { recordUses } from "./usage/record-uses.ts";
import { rejectReport, retryRejected } from "./usage/reject-report.ts";
import { resolveReport } from "./usage/resolve-report.ts";
import { nextReport, postponeReport, recordAttempt } from "./usage/send-report.ts";
import { settleReport } from "./usage/settle-report.ts";

export const OPERATIONS = {
  /** Each of them is one transaction of the group commit, and may be run again from its beginning. */
  writes: {
    // runs
    freeRun,
    renewRun,
    recordClockWord,
    closeMonth,
    stopSite,
    pauseSite,
    unpauseSite,
    leaseBatches,
    renewLease,
    returnBatch,
    // frontier
    recordCatalogPage,
    endWalk,
    decide,
    // candidates
    rankCandidates,
    recordCandidates,
    decideCandidates,
    // purchases
    renewIndexingToken,
    settlePurchase,
    recordMarkdown,
    releasePurchase,
    reserveAnew,
    holdInDoubt,
    finishAcquireBatch,
    resolvePurchase,
    // fetches
    endFetchBatch,
    settleLast,
    // usage
    closeItem,
    freezeReport,
    leaseFlusher,
    nextReport,
    postponeReport,
    recordAttempt,
    rejectReport,
    releaseFlusher,
    renewFlusher,
    resolveReport,
    retryRejected,
    settleReport,
    // evidence
    indexHashes,
    // rights
    admitRenewals,
    // lists
    recordLines,
    // hints
    recordHints,
    admitHints,
    recordSweep,
    recordSweepFailure,
    // documents
    takeCursor,
    fixRange,
    advanceCursor,
    renewCursor,
    releaseCursor,
    // schedules
    setSchedules,
    claimSlot,
    missSlots,
    takeBackSlotsAhead,
    takeSlot,
    startSlot,
    endSlot,
    trimSlots,
    // alerts
    endDelivery,
    retryGivenUp,
    acknowledgeAlert,
    // service
    takeService,
    renewService,
    releaseService,
    writeWaits,
  },
  /** Each of them reads what is committed. */
  reads: {
    // runs
    readClockEvidence,
    readLatestInstant,
    hasRuns,
    readRun,
    readStops,
    listUnfinished,
    readProgress,
    readPauses,
    // frontier
    openWalk,
    openQuoteBatch,
    findObstacles,
    findElsewhere,
    readBalances,
    readDay,
    // candidates
    readCandidates,
    findCandidates,
    readWorths,
    // purchases
    openAcquireBatch,
    findReserved,
    findHeld,
    findUnderWay,
    readFetched,
    readDoubts,
    readInvoiced,
    listUnderived,
    // usage
    countPendingUses,
    readStatus,
    // rights
    readLost,
    listRenewals,
    // lists
    readIntake,
    findListRun,
    readPlanBasis,
    // hints
    readHintWork,
    listDueHints,
    listHintsOf,
    countHints,
    readSweep,
    // documents
    readCursorProcess,
    readLastSettled,
    // schedules
    readOwedAfter,
    readSlotsAhead,
    listOpenSlots,
    // service
    readService,
    readWorkers,
    readWaits,
    // copies
    readCopy,
  },
  /** They read first and write only where something is to do, or take several transactions. */
  inPieces: {
    // runs
    createRun,
    beginRun,
    beginFetch,
    cancelRun,
    endRun,
    discardPlan,
    prune,
    // purchases
    checkRoom,
    startPurchase,
    // usage
    recordUses,
    // rights
    readExpiring,
    purge,
    cleanFile,
    // alerts
    admitReceivers,
    raiseAlerts,
    takeDeliveries,
    // service
    shortenLog,
    // copies
    readCopyRisks,
    acceptCopy,
  },
  /** What is read for people: the first of them loads drizzle with all of them. */
  reports: loadReports,
} as const satisfies {
  readonly writes: InOne<Tx>;
  readonly reads: InOne<ReadTx>;
  readonly inPieces: InPieces<LedgerCore>;
  readonly reports: LoadReports;
};
