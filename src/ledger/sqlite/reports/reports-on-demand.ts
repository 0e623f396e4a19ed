import type { LedgerCore } from "../ledger-core.ts";
import type { ReportMethods } from "./table.ts";

/** How the reports are made once they are asked for. */
export type LoadReports = () => Promise<(core: LedgerCore) => ReportMethods>;

export async function loadReports(): ReturnType<LoadReports> {
  return (await import("./table.ts")).createReports;
}

/** The table of reports, without loading them: a name that is missing here is missed by the compiler in `createReportsOnDemand`. */
const REPORTS = [
  "audit",
  "findDocuments",
  "findAct",
  "readActs",
  "readAges",
  "readAlertFacts",
  "readAlertStatus",
  "readAlerts",
  "readConfigurations",
  "readDays",
  "readDocument",
  "readDocuments",
  "readRunDocuments",
  "readDenials",
  "readDeniedPages",
  "readEnding",
  "readEvidence",
  "readFigures",
  "readPage",
  "readPlanRuns",
  "readPurchaseGroups",
  "readQuoted",
  "readRepurchases",
  "readReceipts",
  "readReports",
  "readRunMoney",
  "readRunPurchases",
  "readRuns",
  "readSettled",
  "readSites",
  "readSlots",
  "readStatement",
  "readUnbought",
] as const satisfies readonly (keyof ReportMethods)[];

type Reports = Pick<ReportMethods, (typeof REPORTS)[number]>;
type Method = (...asked: unknown[]) => Promise<unknown>;

/**
 * The reports, made by the first call that reads. Only then are drizzle and the tables loaded: a command that only writes does not wait for
 * them.
 */
export function createReportsOnDemand(core: LedgerCore, load: LoadReports): ReportMethods {
  let made: Promise<ReportMethods> | null = null;
  const make = (): Promise<ReportMethods> => {
    made ??= load().then((create) => create(core));
    // A file that was busy may be free the next time.
    made.catch(() => {
      made = null;
    });
    return made;
  };
  const methods = REPORTS.map((name) => [
    name,
    async (...asked: unknown[]) => ((await make())[name] as Method)(...asked),
  ]);
  return Object.fromEntries(methods) as Reports;
}
