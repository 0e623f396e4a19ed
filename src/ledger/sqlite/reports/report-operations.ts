import type { FrontierLedger } from "../../frontier-ledger.ts";
import type { LedgerReports } from "../../ledger-reports.ts";
import { auditLedger } from "../audit/audit-ledger.ts";
import { createReadBalances } from "../frontier/read-balances.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createHasRuns } from "./has-runs.ts";
import { createReadBalance } from "./read-balance.ts";
import { createReadDocuments } from "./read-documents.ts";
import { createReadPage } from "./read-page.ts";
import { createReadRun } from "./read-run.ts";
import { createReadStatus } from "./read-status.ts";

/** The port's reports, each method from its file. */
export function createReportOperations(core: LedgerCore): LedgerReports & Pick<FrontierLedger, "readBalances"> {
  const { db, read } = core;
  return {
    audit: (query) => read(() => auditLedger(db, query)),
    hasRuns: createHasRuns(core),
    readBalance: createReadBalance(core),
    readBalances: createReadBalances(core),
    readDocuments: createReadDocuments(core),
    readPage: createReadPage(core),
    readRun: createReadRun(core),
    readStatus: createReadStatus(core),
  };
}
