/**
 * What the operations of `/api/v1` answer, by the names that docs/openapi.json has for them. The types are those of the
 * library: their fields and comments are read from the types themselves (`generate/type-schemas.ts`), so a field is declared once.
 */
import type { FlushReport } from "../../agent/agent.ts";
import type { BudgetWarning } from "../../agent/alerts/budget-warnings.ts";
import type { AcknowledgedAlert, ListedAlert, RaisedAlertList } from "../../agent/alerts/raised-alerts-agent.ts";
import type { DocumentDetails, DocumentSearchReport } from "../../agent/documents/find-documents-agent.ts";
import type { Evidence } from "../../agent/evidence/evidence-agent.ts";
import type { FetchReport, FetchResult } from "../../agent/fetch/fetch-report.ts";
import type { PauseReport } from "../../agent/pauses/pause-agent.ts";
import type { ChangedPages } from "../../agent/plans/compare-plans.ts";
import type {
  ListedPlan,
  PlanChanges,
  PlanDetails,
  PlanList,
  PlannedLine,
  PlanOverview,
} from "../../agent/plans/plan-list.ts";
import type { PlanOutcome } from "../../agent/plans/plan-outcome.ts";
import type { DenialsOfRule, DenialsReport, ReasonDenials, SiteDenials } from "../../agent/reports/denials-agent.ts";
import type { Explanation } from "../../agent/reports/explanation.ts";
import type { ActLog } from "../../agent/reports/log-agent.ts";
import type { RunFunnel } from "../../agent/reports/run-funnel.ts";
import type { RunDetails, RunList } from "../../agent/reports/runs-report.ts";
import type { ScheduleReport, ScheduleStatus } from "../../agent/reports/schedule-agent.ts";
import type { SpendReport, SpendTotal } from "../../agent/reports/spend-agent.ts";
import type { BudgetStatus, StatusReport, UnfinishedRunStatus } from "../../agent/reports/status-report.ts";
import type { ReportWithReceipts, UsageReportList } from "../../agent/reports/usage-reports-agent.ts";
import type { EndingOnDay, RightsCalendar } from "../../agent/rights/rights-agent.ts";
import type { CancelReport, RunReport } from "../../agent/runs/run-report.ts";
import type { SiteDetails, SiteStatus, SitesReport, StoredAge } from "../../agent/sites/sites-report.ts";
import type { Act } from "../../ledger/act-ledger.ts";
import type { DeniedPageOfRun } from "../../ledger/denial-reports.ts";
import type { FoundDocument } from "../../ledger/found-documents.ts";
import type { PageCounts, PageRecord, SiteSummary, StoredDocument } from "../../ledger/ledger-reports.ts";
import type { DoubtfulPurchase } from "../../ledger/ledger-status.ts";
import type { ListSummary } from "../../ledger/list-ledger.ts";
import type { SitePause } from "../../ledger/pause-ledger.ts";
import type { ResolvedPurchase } from "../../ledger/purchase-ledger.ts";
import type { ListedReport } from "../../ledger/report-reports.ts";
import type { EndedRights, EndingDocument } from "../../ledger/rights-calendar.ts";
import type { RunTrigger } from "../../ledger/run-ledger.ts";
import type { DeniedPage, PlanRun, RunOverview, RunPurchase } from "../../ledger/run-reports.ts";
import type { KnownService, KnownWorker } from "../../ledger/service-ledger.ts";
import type { BoundedCount, RunOfSite } from "../../ledger/site-reports.ts";
import type { DaySpend, Spend, SpendOfDay, SpendOfSite } from "../../ledger/spend.ts";
import type { OpenItem, ResolvedReport } from "../../ledger/usage-ledger.ts";
import type { PlanChange } from "../../plan/plan-change.ts";
import type { PriceBucket, PriceLimit, PriceStudy, WouldBuy } from "../../policy/price-study.ts";
import type { License } from "../../rates/license.ts";
import type { ListedRate, ListedRates } from "../../rates/listed-rate.ts";
import type {
  ChargedPages,
  DoubtfulPages,
  ReportedUses,
  Statement,
  StatementLine,
  StatementTotal,
} from "../../statement/statement.ts";
import type { Problem } from "../http/problem.ts";

/** A run that is at work. */
export interface BegunRun {
  readonly runId: string;
  readonly hosts: readonly string[];
  readonly trigger: RunTrigger;
}

export interface StoppingRun {
  readonly runId: string;
  readonly stopping: true;
}

export interface OpenItemList {
  readonly openItems: readonly OpenItem[];
  /** How many there are, listed or not. */
  readonly total: number;
}

export interface ClosedItem extends OpenItem {
  readonly state: "closed";
}

/** RFC 9457 */
export interface ProblemAnswer extends Omit<Problem, "code"> {
  /** Tells the errors apart: docs/errors.md describes each code. A text, because a client must not fail at a code that is newer than itself. */
  readonly code: string;
}

/** The texts of a document. All other fields are its evidence. */
export const CONTENT_FIELDS = ["markdown", "html", "header", "footer"] as const;
type ContentField = (typeof CONTENT_FIELDS)[number];
/** A document of a list: with its texts, if they were asked for. */
export type ListedDocument = Omit<StoredDocument, ContentField> & Partial<Pick<StoredDocument, ContentField>>;

export interface DocumentPage {
  readonly documents: readonly ListedDocument[];
  /** Give it as `cursor` to read on. Null: this is the last page. */
  readonly nextCursor: string | null;
}

export interface Answers {
  readonly AcknowledgedAlert: AcknowledgedAlert;
  readonly Act: Act;
  readonly ActLog: ActLog;
  readonly BegunRun: BegunRun;
  readonly BoundedCount: BoundedCount;
  readonly BudgetStatus: BudgetStatus;
  readonly BudgetWarning: BudgetWarning;
  readonly CancelReport: CancelReport;
  readonly ChargedPages: ChargedPages;
  readonly ClosedItem: ClosedItem;
  readonly DaySpend: DaySpend;
  readonly DenialsOfRule: DenialsOfRule;
  readonly DenialsReport: DenialsReport;
  readonly DeniedPage: DeniedPage;
  readonly DeniedPageOfRun: DeniedPageOfRun;
  readonly Document: StoredDocument;
  readonly DocumentDetails: DocumentDetails;
  readonly DocumentPage: DocumentPage;
  readonly DocumentSearchReport: DocumentSearchReport;
  readonly DoubtfulPages: DoubtfulPages;
  readonly DoubtfulPurchase: DoubtfulPurchase;
  readonly EndedRights: EndedRights;
  readonly EndingDocument: EndingDocument;
  readonly EndingOnDay: EndingOnDay;
  readonly Evidence: Evidence;
  readonly Explanation: Explanation;
  readonly FetchReport: FetchReport;
  readonly FetchResult: FetchResult;
  readonly FlushReport: FlushReport;
  readonly FoundDocument: FoundDocument;
  readonly License: License;
  readonly ListSummary: ListSummary;
  readonly ListedDocument: ListedDocument;
  readonly OpenItem: OpenItem;
  readonly OpenItemList: OpenItemList;
  readonly ListedReport: ListedReport;
  readonly PageCounts: PageCounts;
  readonly PageRecord: PageRecord;
  readonly PauseReport: PauseReport;
  readonly ChangedPages: ChangedPages;
  readonly ListedPlan: ListedPlan;
  readonly PlanChange: PlanChange;
  readonly PlanChanges: PlanChanges;
  readonly PlanDetails: PlanDetails;
  readonly PlanList: PlanList;
  readonly PlanOverview: PlanOverview;
  readonly PlanRun: PlanRun;
  readonly PlannedLine: PlannedLine;
  readonly PlanOutcome: PlanOutcome;
  readonly PriceBucket: PriceBucket;
  readonly PriceLimit: PriceLimit;
  readonly PriceStudy: PriceStudy;
  readonly Problem: ProblemAnswer;
  readonly Rate: ListedRate;
  readonly ListedAlert: ListedAlert;
  readonly RaisedAlertList: RaisedAlertList;
  readonly RateListing: ListedRates;
  readonly ReasonDenials: ReasonDenials;
  readonly ReportedUses: ReportedUses;
  readonly ResolvedPurchase: ResolvedPurchase;
  readonly ResolvedReport: ResolvedReport;
  readonly RightsCalendar: RightsCalendar;
  readonly RunDetails: RunDetails;
  readonly RunFunnel: RunFunnel;
  readonly RunList: RunList;
  readonly RunOfSite: RunOfSite;
  readonly RunOverview: RunOverview;
  readonly RunPurchase: RunPurchase;
  readonly RunReport: RunReport;
  readonly Schedule: ScheduleStatus;
  readonly ScheduleReport: ScheduleReport;
  readonly Service: KnownService;
  readonly SiteDenials: SiteDenials;
  readonly SiteDetails: SiteDetails;
  readonly SiteStatus: SiteStatus;
  readonly SiteSummary: SiteSummary;
  readonly SitesReport: SitesReport;
  readonly Slot: ScheduleStatus["slots"][number];
  readonly Spend: Spend;
  readonly SpendOfDay: SpendOfDay;
  readonly SpendOfSite: SpendOfSite;
  readonly SpendReport: SpendReport;
  readonly SpendTotal: SpendTotal;
  readonly Statement: Statement;
  readonly StatementLine: StatementLine;
  readonly StatementTotal: StatementTotal;
  readonly Status: StatusReport;
  readonly StoppingRun: StoppingRun;
  readonly StoredAge: StoredAge;
  readonly SitePause: SitePause;
  readonly UndeliveredAlert: StatusReport["alerts"]["undelivered"][number];
  readonly UnfinishedRun: UnfinishedRunStatus;
  readonly ReportWithReceipts: ReportWithReceipts;
  readonly UsageReportList: UsageReportList;
  readonly Worker: KnownWorker;
  readonly WouldBuy: WouldBuy;
}
