import type { AlertLedger } from "../../alert-ledger.ts";
import type { DocumentLedger } from "../../document-ledger.ts";
import type { FrontierLedger } from "../../frontier-ledger.ts";
import type { FiguresReader } from "../../ledger-figures.ts";
import type { LedgerReports } from "../../ledger-reports.ts";
import type { ListLedger } from "../../list-ledger.ts";
import { auditLedger } from "../audit/audit-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createReportDeps } from "./queries.ts";
import { createReadAlertFacts } from "./read-alert-facts.ts";
import { createReadAlertStatus } from "./read-alert-status.ts";
import { createReadBalances } from "./read-balances.ts";
import { createReadDocuments } from "./read-documents.ts";
import { createReadFigures } from "./read-figures.ts";
import { createReadPage } from "./read-page.ts";
import { createReadRepurchases } from "./read-repurchases.ts";
import { createReadRun } from "./read-run.ts";
import { createReadRunPurchases } from "./read-run-purchases.ts";
import { createReadRuns } from "./read-runs.ts";
import { createReadSettled } from "./read-settled.ts";
import { createReadSlots } from "./read-slots.ts";
import { createReadStatement } from "./read-statement.ts";
import { createHasRuns, createReadStatus } from "./read-status.ts";
import { createReadUnbought } from "./read-unbought.ts";
import { createSelectOpenItems } from "./select-open-items.ts";

/** The reading side of the port: its reports, and what a plan reads before it counts. */
export type ReportMethods = LedgerReports &
  FiguresReader &
  Pick<FrontierLedger, "readBalances" | "readRepurchases"> &
  Pick<AlertLedger, "readAlertFacts" | "readAlertStatus"> &
  Pick<DocumentLedger, "readSettled"> &
  Pick<ListLedger, "readUnbought">;

/** Each method from its file, over one drizzle. */
export function createReports(core: LedgerCore): ReportMethods {
  const { db, read } = core;
  const deps = createReportDeps(core);
  const selectOpenItems = createSelectOpenItems(deps);
  return {
    audit: (query) => read(() => auditLedger(db, query, selectOpenItems)),
    hasRuns: createHasRuns(deps),
    readAlertFacts: createReadAlertFacts(deps),
    readAlertStatus: createReadAlertStatus(deps),
    readBalances: createReadBalances(deps),
    ...createReadDocuments(deps),
    readFigures: createReadFigures(deps),
    readPage: createReadPage(deps),
    readRepurchases: createReadRepurchases(deps),
    readRun: createReadRun(deps),
    ...createReadRunPurchases(deps),
    readRuns: createReadRuns(deps),
    readSettled: createReadSettled(deps),
    readSlots: createReadSlots(deps),
    readStatement: createReadStatement(deps),
    readStatus: createReadStatus(deps),
    readUnbought: createReadUnbought(deps),
  };
}
