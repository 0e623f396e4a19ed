import type { ActLedger } from "../../act-ledger.ts";
import type { AlertLedger } from "../../alert-ledger.ts";
import type { DocumentLedger } from "../../document-ledger.ts";
import type { EvidenceLedger } from "../../evidence-ledger.ts";
import type { FrontierLedger } from "../../frontier-ledger.ts";
import type { FiguresReader } from "../../ledger-figures.ts";
import type { LedgerReports } from "../../ledger-reports.ts";
import type { ListLedger } from "../../list-ledger.ts";
import { auditLedger } from "../audit/audit-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { type Answered, type Asked, type InOne, toMethods } from "../operation.ts";
import { listOpenItems } from "../usage/open-items.ts";
import { findDocuments } from "./find-documents.ts";
import { createReportCore, type ReportTx } from "./queries.ts";
import { findAct, readActs } from "./read-acts.ts";
import { readAlertFacts } from "./read-alert-facts.ts";
import { readAlertStatus } from "./read-alert-status.ts";
import { readAlerts } from "./read-alerts.ts";
import { readConfigurations } from "./read-configurations.ts";
import { readDays } from "./read-days.ts";
import { readDenials } from "./read-denials.ts";
import { readDocument, readDocuments, readRunDocuments } from "./read-documents.ts";
import { readEnding } from "./read-ending.ts";
import { readEvidence } from "./read-evidence.ts";
import { readFigures } from "./read-figures.ts";
import { readPage } from "./read-page.ts";
import { readPlanRuns } from "./read-plan-runs.ts";
import { readQuoted } from "./read-quoted.ts";
import { readReceipts, readReports } from "./read-reports.ts";
import { readRepurchases } from "./read-repurchases.ts";
import { readRunMoney } from "./read-run-money.ts";
import { readDeniedPages, readPurchaseGroups, readRunPurchases } from "./read-run-purchases.ts";
import { readRuns } from "./read-runs.ts";
import { readSettled } from "./read-settled.ts";
import { readAges, readSites } from "./read-sites.ts";
import { readSlots } from "./read-slots.ts";
import { readStatement } from "./read-statement.ts";
import { readUnbought } from "./read-unbought.ts";

/** The reading side of the port: its reports, and what a plan reads before it counts. */
export type ReportMethods = Omit<LedgerReports, "readDay" | "readRun" | "readStatus"> &
  FiguresReader &
  ActLedger &
  Pick<FrontierLedger, "readRepurchases"> &
  Pick<EvidenceLedger, "readEvidence"> &
  Pick<AlertLedger, "readAlertFacts" | "readAlertStatus" | "readAlerts"> &
  Pick<DocumentLedger, "readSettled"> &
  Pick<ListLedger, "readUnbought">;

/** Each is one read. */
const READS = {
  audit,
  findDocuments,
  findAct,
  readActs,
  readAges,
  readAlertFacts,
  readAlertStatus,
  readAlerts,
  readConfigurations,
  readDays,
  readDocument,
  readDocuments,
  readRunDocuments,
  readDenials,
  readDeniedPages,
  readEnding,
  readEvidence,
  readFigures,
  readPage,
  readPlanRuns,
  readPurchaseGroups,
  readQuoted,
  readRepurchases,
  readReceipts,
  readReports,
  readRunMoney,
  readRunPurchases,
  readRuns,
  readSettled,
  readSites,
  readSlots,
  readStatement,
  readUnbought,
} as const satisfies InOne<ReportTx>;

function audit(tx: ReportTx, query: Asked<"audit">): Answered<"audit"> {
  return auditLedger(tx.db, query, (limit) => listOpenItems(tx, limit));
}

/** Each method from its file, over one drizzle. */
export function createReports(core: LedgerCore): ReportMethods {
  const reports = createReportCore(core);
  return toMethods<ReportTx, typeof READS>(READS, (report, asked) => reports.read(report, ...asked));
}
