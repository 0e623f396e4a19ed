import type { FrontierLedger } from "../../frontier-ledger.ts";
import type { LedgerReports } from "../../ledger-reports.ts";
import { auditLedger } from "../audit/audit-ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createReadBalances } from "./read-balances.ts";
import { createReadDocuments } from "./read-documents.ts";
import { createReadPage } from "./read-page.ts";
import { createReadRun } from "./read-run.ts";
import { createHasRuns, createReadStatus } from "./read-status.ts";

/** The port's reports, each method from its file. */
export function createReportOperations(parts: LedgerParts): LedgerReports & Pick<FrontierLedger, "readBalances"> {
  const { db, read } = parts;
  return {
    audit: (query) => read(() => auditLedger(db, query)),
    hasRuns: createHasRuns(parts),
    readBalances: createReadBalances(parts),
    readDocuments: createReadDocuments(parts),
    readPage: createReadPage(parts),
    readRun: createReadRun(parts),
    readStatus: createReadStatus(parts),
  };
}
