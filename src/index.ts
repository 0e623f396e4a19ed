/** licet's public API: these names, and every type in their signatures. `test/golden/public-api.md` lists the signatures. */
import "./refuse-old-node.ts";

export type { ActKind } from "./act/act.ts";
export type { ActingOptions } from "./agent/acts/acted-by.ts";
export type {
  Agent,
  FlushReport,
  ReportOptions,
  UseAfterRights,
  UseInput,
  UseOptions,
  UseReport,
} from "./agent/agent.ts";
export type { AlertsOptions, AlertsReport } from "./agent/alerts/alerts-agent.ts";
export type { BudgetWarning } from "./agent/alerts/budget-warnings.ts";
export type {
  AcknowledgedAlert,
  ListedAlert,
  RaisedAlertList,
  RaisedAlertsFilter,
} from "./agent/alerts/raised-alerts-agent.ts";
export type {
  CheckFinding,
  CheckLevel,
  CheckOptions,
  CheckReport,
  PolicyTestReport,
} from "./agent/checks/check-report.ts";
export type {
  AcceptOptions,
  AcceptReport,
  BackupReport,
  CopyAudit,
  CopyOptions,
  CopyProgressReport,
  RestoreReport,
} from "./agent/copies/backup-report.ts";
export { type CreateAgentOptions, createAgent } from "./agent/create-agent.ts";
export type {
  CursorFilter,
  DeliveredDocument,
  DocumentFilter,
  DocumentRange,
  RangeFilter,
} from "./agent/documents/document-filter.ts";
export type {
  DocumentDetails,
  DocumentSearchOptions,
  DocumentSearchReport,
} from "./agent/documents/find-documents-agent.ts";
export type { AgentEvents } from "./agent/events/events.ts";
export type { DocumentedVersion, Evidence, EvidenceOptions } from "./agent/evidence/evidence-agent.ts";
export { type VerifiedFile, verifyDocuments } from "./agent/evidence/verify-documents.ts";
export type { FetchOptions, FetchOutcome, FetchReport, FetchResult, FetchSpend } from "./agent/fetch/fetch-report.ts";
export type { ListInput } from "./agent/lists/list-input.ts";
export type { PauseReport } from "./agent/pauses/pause-agent.ts";
export type { ChangedPages, PlanComparison } from "./agent/plans/compare-plans.ts";
export type { PlanEdits, PlanSum } from "./agent/plans/open-plan.ts";
export type {
  ListedPlan,
  PlanChanges,
  PlanDetails,
  PlanDetailsOptions,
  PlanList,
  PlannedLine,
  PlanOverview,
  PlansOptions,
  RefusedPlan,
} from "./agent/plans/plan-list.ts";
export type { MissedPage, PlanOutcome, SetAside } from "./agent/plans/plan-outcome.ts";
export type {
  ApprovedPage,
  PlannedBudget,
  PlannedPages,
  PlanOptions,
  PlanReport,
  SavedPlanFacts,
} from "./agent/plans/plan-report.ts";
export type { PruneOptions, PruneReport } from "./agent/prune/prune-agent.ts";
export type { Conclusion, ConclusionReason } from "./agent/reports/conclusion.ts";
export type {
  DenialsOfRule,
  DenialsOptions,
  DenialsReport,
  ReasonDenials,
  SiteDenials,
} from "./agent/reports/denials-agent.ts";
export type { ExplainOptions, Explanation } from "./agent/reports/explanation.ts";
export type { ActLog, LogOptions } from "./agent/reports/log-agent.ts";
export type { FunnelStep, RunConfigurationKept, RunFunnel, RunSpeed } from "./agent/reports/run-funnel.ts";
export type {
  ListedRun,
  RunDetails,
  RunDetailsFilter,
  RunFilter,
  RunList,
  SiteSpend,
} from "./agent/reports/runs-report.ts";
export type { ScheduleFilter, ScheduleReport, ScheduleStatus } from "./agent/reports/schedule-agent.ts";
export type { SpendOptions, SpendReport, SpendTotal } from "./agent/reports/spend-agent.ts";
export type { StatementFilter } from "./agent/reports/statement-agent.ts";
export type {
  BudgetStatus,
  StatusOptions,
  StatusReport,
  TodayStatus,
  UnfinishedRunStatus,
} from "./agent/reports/status-report.ts";
export type {
  ReportWithReceipts,
  UsageReportList,
  UsageReportOptions,
  UsageReportsFilter,
} from "./agent/reports/usage-reports-agent.ts";
export type { AppliedInvoice, DoubtWord, InvoiceLine, ResolvedMany } from "./agent/resolve/doubt-word.ts";
export type { EndingOnDay, RightsCalendar, RightsOptions } from "./agent/rights/rights-agent.ts";
export type { ExpiringReport, PurgeOptions, PurgeReport } from "./agent/rights/rights-report.ts";
export type { CancelOptions } from "./agent/runs/cancel-agent.ts";
export type { RunOptions } from "./agent/runs/run-options.ts";
export type { CancelReport, RunReport, TakenOverRun } from "./agent/runs/run-report.ts";
export type {
  SiteDetails,
  SiteDetailsOptions,
  SiteState,
  SiteStatus,
  SitesOptions,
  SitesReport,
  StoredAge,
} from "./agent/sites/sites-report.ts";
export type { AlertAbout, AlertEvent, AlertKind } from "./alert/alert.ts";
export type { Budget, BudgetPeriod, BudgetScope } from "./budget/budget.ts";
export type { CatalogEntry, CatalogPage } from "./catalog/catalog-entry.ts";
export type { RefreshTerms } from "./catalog/freshness.ts";
export type {
  AlertConfig,
  Config,
  ContentConfig,
  GatewayConfig,
  HeaderOverrides,
  HistoryConfig,
  PathOverrides,
  RefreshConfig,
  ReportingConfig,
  RunLimits,
  ScheduleConfig,
  ServeConfig,
  ServeToken,
  SiteConfig,
  WebhookConfig,
} from "./config/config.ts";
export type { ConfigInput } from "./config/config-input.ts";
export { defineConfig } from "./config/define-config.ts";
export type { Env } from "./config/files/env-file.ts";
export { type LoadConfigOptions, loadConfig } from "./config/load-config.ts";
export type { Setting } from "./config/settings.ts";
export type {
  ConfigDetails,
  ErrorDetailsByCode,
  GatewayCallDetails,
  GatewayStatusDetails,
  LedgerDetails,
  NoDetails,
  PlanDifference,
  RequestProblem,
  UsageReportDetails,
  WriteDetails,
} from "./error-details.ts";
export {
  type ErrorCode,
  type ErrorDetails,
  isLicetError,
  LicetError,
  type LicetErrorArguments,
  type LicetErrorConstructor,
  type LicetErrorOf,
  type LicetErrorOptions,
  type Retry,
  type Stops,
} from "./errors.ts";
export type {
  CatalogQuery,
  ContentQuery,
  ContentTokenQuery,
  HistoryQuery,
  UsageReportEntry,
  UsageReportQuery,
} from "./gateway/client-calls.ts";
export type { LicenseIdField } from "./gateway/client-defaults.ts";
export type { GatewayClientOptions, RequestEvent, RetryEvent } from "./gateway/client-options.ts";
export type {
  CatalogRequest,
  ContentAnswer,
  ContentPayload,
  ContentRequest,
  ContentTokenRequest,
  DeliveryRecord,
  Gateway,
  GatewayRetry,
  HistoryPage,
  HistoryRequest,
  ReportAnswer,
  WireFormat,
} from "./gateway/gateway.ts";
export { GatewayClient } from "./gateway/gateway-client.ts";
export type { Call as GatewayCall, Failure as GatewayFailure } from "./gateway/repeatable.ts";
export type { GatewayProfile, HeaderName, PathName, ProfileOptions } from "./gateway/service-names.ts";
export type { Act } from "./ledger/act-ledger.ts";
export type { AlertDelivery, RaisedAlert, UndeliveredAlert } from "./ledger/alert-ledger.ts";
export type { LedgerCopy } from "./ledger/copy-ledger.ts";
export type { DeniedPageOfRun, RuleDenials } from "./ledger/denial-reports.ts";
export type { EvidenceReceipt, EvidenceUse, EvidenceVersion } from "./ledger/evidence-ledger.ts";
export type { FoundDocument } from "./ledger/found-documents.ts";
export type { HintKind, HintState, SweepState } from "./ledger/hint-ledger.ts";
export type { BatchesOfStage, BatchStage } from "./ledger/lease-ledger.ts";
export type {
  AuditReport,
  PageCounts,
  PageRecord,
  RefusedPage,
  RunSummary,
  SiteSummary,
  StoredDocument,
  Violation,
} from "./ledger/ledger-reports.ts";
export type { DoubtfulPurchase, LedgerStatus } from "./ledger/ledger-status.ts";
export type { ListSource, ListSummary, NewList } from "./ledger/list-ledger.ts";
export type { SitePause } from "./ledger/pause-ledger.ts";
export type { PlannedCost } from "./ledger/plan-book.ts";
export type { ContentRecord, ResolvedPurchase } from "./ledger/purchase-ledger.ts";
export type { KeptReceipt, ListedReport, ReportState } from "./ledger/report-reports.ts";
export type { EndedRights, EndingDocument } from "./ledger/rights-calendar.ts";
export type { Cleaning, ExpiringCount, ExpiringDocument, LostPage, PurgedVersion } from "./ledger/rights-ledger.ts";
export type { RunTrigger, SiteStop, UnfinishedRun } from "./ledger/run-ledger.ts";
export type {
  DeniedPage,
  ListedRunKind,
  PlanRun,
  RunOverview,
  RunPurchase,
  RunStateFilter,
} from "./ledger/run-reports.ts";
export type { SlotKey, SlotRecord, SlotState } from "./ledger/schedule-ledger.ts";
export type { KnownService, KnownWorker, WorkerState } from "./ledger/service-ledger.ts";
export type { BoundedCount, RunOfSite, SiteFacts } from "./ledger/site-reports.ts";
export type { DaySpend, Spend, SpendOfDay, SpendOfSite } from "./ledger/spend.ts";
export type { OpenItem, OpenItemKind, ResolvedReport } from "./ledger/usage-ledger.ts";
export type { KnownWait } from "./ledger/wait-ledger.ts";
export type { AppliedPlan, PlanBasis } from "./list/applied-plan.ts";
export type { ListedLine } from "./list/parse-line.ts";
export { formatMoney } from "./money/format-money.ts";
export type { Micros } from "./money/micros.ts";
export type { Currency, Money } from "./money/money.ts";
export { type MoneyInput, money } from "./money/money-input.ts";
export { parseMoney } from "./money/parse-money.ts";
export type { PagePrice, PlanChange } from "./plan/plan-change.ts";
export type { PlanRefusal } from "./plan/plan-refusal.ts";
export type { DenialClass, DenialClassCounts } from "./policy/denial-class.ts";
export type { Expectation, RuledDenial } from "./policy/expectation.ts";
export type { PolicyTest } from "./policy/policy-test.ts";
export type { PriceBucket, PriceLimit, PriceStudy, WouldBuy } from "./policy/price-study.ts";
export type {
  Conditions,
  ContentFormat,
  ExpiryAction,
  Fee,
  InDoubtPolicy,
  Intent,
  Policy,
  Preference,
  Rule,
  RunOrder,
} from "./policy/rule.ts";
export type { DenialReason, ListedVerdict, RuleFinding, Verdict } from "./policy/verdict.ts";
export type { DoubtReason, OneTimeToken, PurchaseState } from "./purchase/purchase.ts";
export type { KnownLicenseType, License, LicenseType } from "./rates/license.ts";
export type { ListedRate, ListedRates } from "./rates/listed-rate.ts";
export { isOffer, type Offer } from "./rates/offers.ts";
export type { Rate, RateListing } from "./rates/rate.ts";
export type { ContentTerms, DocumentRights, RightsEndReason } from "./rights/rights.ts";
export type { RunKind } from "./run/kinds.ts";
export type { OwnLimits } from "./run/limits.ts";
export type { EndedBy, RunState } from "./run/run-state.ts";
export type { Wait, WaitPlace } from "./run/wait.ts";
export type { LeftRun } from "./run/what-becomes.ts";
export type {
  ChargedPages,
  DoubtfulPages,
  ReportedUses,
  Statement,
  StatementFigures,
  StatementGrouping,
  StatementLine,
  StatementTotal,
} from "./statement/statement.ts";
export type { Clock } from "./time/clock.ts";
export type { Receipt } from "./usage/receipt.ts";
export type { ReportingTerms, UseKind, UseState } from "./usage/use.ts";
