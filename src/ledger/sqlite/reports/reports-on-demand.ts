import type { LedgerParts } from "../ledger-parts.ts";
import type { ReportOperations } from "./report-operations.ts";

/** How the reports are made once they are asked for. */
export type LoadReports = () => Promise<(parts: LedgerParts) => ReportOperations>;

export async function loadReports(): ReturnType<LoadReports> {
  return (await import("./report-operations.ts")).createReportOperations;
}

/**
 * The reports, made by the first call that reads. Only then are drizzle and the tables loaded and the queries prepared: a command that only
 * writes does not wait for them.
 */
export function createReportsOnDemand(parts: LedgerParts, load: LoadReports): ReportOperations {
  let made: Promise<ReportOperations> | null = null;
  const reports = (): Promise<ReportOperations> => {
    made ??= load().then((create) => parts.read(() => create(parts)));
    // A file that was busy may be free the next time.
    made.catch(() => {
      made = null;
    });
    return made;
  };
  return {
    audit: async (query) => (await reports()).audit(query),
    hasRuns: async () => (await reports()).hasRuns(),
    readAlertFacts: async (query) => (await reports()).readAlertFacts(query),
    readAlertStatus: async () => (await reports()).readAlertStatus(),
    readBalances: async (query) => (await reports()).readBalances(query),
    readDocument: async (purchaseId) => (await reports()).readDocument(purchaseId),
    readDocuments: async (query) => (await reports()).readDocuments(query),
    readRunDocuments: async (query) => (await reports()).readRunDocuments(query),
    readDeniedPages: async (query) => (await reports()).readDeniedPages(query),
    readFigures: async (query) => (await reports()).readFigures(query),
    readPage: async (url) => (await reports()).readPage(url),
    readPurchaseGroups: async (query) => (await reports()).readPurchaseGroups(query),
    readRepurchases: async (query) => (await reports()).readRepurchases(query),
    readRun: async (runId) => (await reports()).readRun(runId),
    readRunPurchases: async (query) => (await reports()).readRunPurchases(query),
    readRuns: async (query) => (await reports()).readRuns(query),
    readSettled: async (query) => (await reports()).readSettled(query),
    readSlots: async (query) => (await reports()).readSlots(query),
    readStatement: async (query) => (await reports()).readStatement(query),
    readStatus: async () => (await reports()).readStatus(),
    readUnbought: async (query) => (await reports()).readUnbought(query),
  };
}
