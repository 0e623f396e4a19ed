import { auditLedger } from "../audit/audit-ledger.ts";
import type { FrontierLedger } from "../frontier-ledger.ts";
import type { LedgerReports } from "../ledger-reports.ts";
import type { LedgerCore } from "./ledger-core.ts";
import { createHasRuns } from "./operations/has-runs.ts";
import { createReadBalance } from "./operations/read-balance.ts";
import { createReadBalances } from "./operations/read-balances.ts";
import { createReadDocuments } from "./operations/read-documents.ts";
import { createReadPage } from "./operations/read-page.ts";
import { createReadRun } from "./operations/read-run.ts";
import { createReadStatus } from "./operations/read-status.ts";

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
