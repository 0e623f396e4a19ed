/**
 * The agent is licet as a library. One agent uses one configuration. It opens its ledger, gateway and queue
 * when a call first needs them, and closes them on `close()`.
 */
import type { DeliveryRecord } from "../gateway/gateway.ts";
import type { AuditReport, StoredDocument } from "../ledger/ledger-reports.ts";
import type { ResolvedPurchase } from "../ledger/purchase-ledger.ts";
import type { OpenItem, ResolvedReport } from "../ledger/usage-ledger.ts";
import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { RightsEndReason } from "../rights/rights.ts";
import type { Statement } from "../statement/statement.ts";
import type { ActingOptions } from "./acts/acted-by.ts";
import type { AlertsOptions, AlertsReport } from "./alerts/alerts-agent.ts";
import type { AcknowledgedAlert, RaisedAlertList, RaisedAlertsFilter } from "./alerts/raised-alerts-agent.ts";
import type { CheckOptions, CheckReport } from "./checks/check-report.ts";
import type { AcceptOptions, AcceptReport, BackupReport, CopyOptions, RestoreReport } from "./copies/backup-report.ts";
import type {
  CursorFilter,
  DeliveredDocument,
  DocumentFilter,
  DocumentRange,
  RangeFilter,
} from "./documents/document-filter.ts";
import type { DocumentDetails, DocumentSearchOptions, DocumentSearchReport } from "./documents/find-documents-agent.ts";
import type { AgentEvents } from "./events/events.ts";
import type { Evidence, EvidenceOptions } from "./evidence/evidence-agent.ts";
import type { FetchOptions, FetchReport } from "./fetch/fetch-report.ts";
import type { PauseReport } from "./pauses/pause-agent.ts";
import type { PlanDetails, PlanDetailsOptions, PlanList, PlansOptions } from "./plans/plan-list.ts";
import type { PlanOptions, PlanReport } from "./plans/plan-report.ts";
import type { PruneOptions, PruneReport } from "./prune/prune-agent.ts";
import type { DenialsOptions, DenialsReport } from "./reports/denials-agent.ts";
import type { ExplainOptions, Explanation } from "./reports/explanation.ts";
import type { ActLog, LogOptions } from "./reports/log-agent.ts";
import type { RunFunnel } from "./reports/run-funnel.ts";
import type { RunDetails, RunDetailsFilter, RunFilter, RunList } from "./reports/runs-report.ts";
import type { ScheduleFilter, ScheduleReport } from "./reports/schedule-agent.ts";
import type { SpendOptions, SpendReport } from "./reports/spend-agent.ts";
import type { StatementFilter } from "./reports/statement-agent.ts";
import type { StatusOptions, StatusReport } from "./reports/status-report.ts";
import type {
  ReportWithReceipts,
  UsageReportList,
  UsageReportOptions,
  UsageReportsFilter,
} from "./reports/usage-reports-agent.ts";
import type { AppliedInvoice, DoubtWord, InvoiceLine, ResolvedMany } from "./resolve/doubt-word.ts";
import type { RightsCalendar, RightsOptions } from "./rights/rights-agent.ts";
import type { PurgeOptions, PurgeReport } from "./rights/rights-report.ts";
import type { CancelOptions } from "./runs/cancel-agent.ts";
import type { RunOptions } from "./runs/run-options.ts";
import type { CancelReport, RunReport } from "./runs/run-report.ts";
import type { SiteDetails, SiteDetailsOptions, SitesOptions, SitesReport } from "./sites/sites-report.ts";

/** A later use of a stored page. */
export interface UseInput {
  readonly url: string;
  readonly times?: number | undefined;
  /** ISO 8601 or epoch ms; default: now. */
  readonly usedAt?: string | number | undefined;
  /** Identifies the use. A second record with the same key changes nothing. */
  readonly key?: string | undefined;
}

/** How uses are recorded. */
export interface UseOptions {
  /**
   * Records a use even when it exceeds a budget, because it has already happened. The use is flagged, and nothing more is bought
   * under that budget. @default false
   */
  readonly overBudget?: boolean | undefined;
  /** Reports what would be recorded and reserved, batch by batch, and records nothing. @default false */
  readonly dryRun?: boolean | undefined;
}

/** `use --json`: what was recorded, and what was refused. */
export interface UseReport {
  /** True when nothing was recorded and the other fields report what would be recorded. */
  readonly dryRun: boolean;
  readonly recorded: number;
  readonly repeated: number;
  readonly refused: readonly { readonly url: string; readonly reason: string }[];
  readonly reservedMicros: Readonly<Record<Currency, Micros>>;
  /** True when a recorded use exceeded a budget. The use is flagged, and nothing more is bought under that budget. */
  readonly overBudget: boolean;
  /**
   * Recorded uses that happened after the rights to their page had ended, by the license or by the policy's retention. They are reported
   * like all others, because they have happened. `pages` has the first of them.
   */
  readonly afterRights: { readonly count: number; readonly pages: readonly UseAfterRights[] };
}

/** A use that happened after the rights to its page had ended. */
export interface UseAfterRights {
  readonly url: string;
  /** Epoch ms. */
  readonly usedAt: number;
  /** When the rights ended, epoch ms. */
  readonly endedAt: number;
  readonly why: RightsEndReason;
}

/** How the outbox is flushed. */
export interface ReportOptions {
  readonly signal?: AbortSignal | undefined;
  /** Sends rejected uses again, for example after a setting was corrected. Accepted uses are never sent again. @default false */
  readonly retryRejected?: boolean | undefined;
}

/** The result of a flush of the outbox. */
export interface FlushReport {
  readonly batches: number;
  readonly reported: number;
  readonly rejectedEntries: number;
  readonly pending: number;
  readonly needsReconcile: number;
  /** Why reporting stopped before everything was sent. Null when nothing is left. */
  readonly stopped: string | null;
  /**
   * The first uses that were sent alone were all refused and none was accepted. A setting is probably wrong. All uses are kept.
   */
  readonly allRefused: boolean;
  /** Uses that were rejected before and wait for a new report because of `retryRejected`. */
  readonly retried: number;
  /** Charges of the billed uses that were reported, by currency. */
  readonly chargedMicros: Readonly<Record<Currency, Micros>>;
  /** Whether a use exceeded a budget and the open item about it is not closed yet. */
  readonly overBudget: boolean;
}

/** licet with one configuration. `createAgent` creates it; `close()` ends it. */
export interface Agent {
  /** Walks, quotes and decides. Reserves and spends nothing. */
  plan(options?: PlanOptions): Promise<PlanReport>;
  /**
   * Buys pages. An agent does one run at a time. It first ends runs that dead processes left, and resumes an interrupted run of
   * the same sites. @throws LicetError RUN_ALIVE while another process works on one of the sites
   */
  run(options?: RunOptions): Promise<RunReport>;
  /**
   * Answers a few pages now, one result for each URL, in their order. A page that is held and whose rights have not ended comes from the
   * ledger: no request, no write. Any other page is bought under the same policy, budgets and promises as in a run. Works beside runs and
   * other fetches; a page that one of them is buying is waited for. Many callers who want a page at once buy it once.
   * What keeps a page from being bought is its result. @throws LicetError USAGE_INVALID, LEDGER_* when the ledger cannot be read
   */
  fetch(urls: readonly string[], options?: FetchOptions): Promise<FetchReport>;
  /**
   * Ends a run for good as `cancelled`: releases reserved purchases and probes started ones. Another process that works on the
   * run finishes its started purchases and stops. @throws LicetError RUN_NOT_FOUND, also for a completed run
   */
  cancel(runId: string, options?: CancelOptions): Promise<CancelReport>;
  /**
   * Records later uses of stored pages. The next run or `report()` reports them. A use that exceeds a budget is refused, unless
   * `overBudget` is set.
   */
  use(uses: Iterable<UseInput> | AsyncIterable<UseInput>, options?: UseOptions): Promise<UseReport>;
  /** Flushes the outbox. */
  report(options?: ReportOptions): Promise<FlushReport>;
  status(options?: StatusOptions): Promise<StatusReport>;
  /** @throws LicetError RUN_NOT_FOUND */
  runStatus(runId: string): Promise<RunReport>;
  /** The newest runs: what each cost, why it ended, and which process died at work on it. */
  runs(filter?: RunFilter): Promise<RunList>;
  /** What a run bought, what each site cost, and which pages it denied. @throws LicetError RUN_NOT_FOUND */
  runDetails(runId: string, filter?: RunDetailsFilter): Promise<RunDetails>;
  /** How far the pages of a run came, with the money of each step, in bounded time. @throws LicetError RUN_NOT_FOUND */
  runFunnel(runId: string): Promise<RunFunnel>;
  /** The saved plans of `serve.plans` by name: cost, whether each can be bought now, and which runs buy from it. */
  plans(options?: PlansOptions): Promise<PlanList>;
  /** One of them with its pages, and what it changes since another one. @throws LicetError PLAN_REFUSED, USAGE_INVALID without `serve.plans` */
  planDetails(name: string, options?: PlanDetailsOptions): Promise<PlanDetails>;
  /** Usage reports, the newest first. */
  usageReports(filter?: UsageReportsFilter): Promise<UsageReportList>;
  /** One usage report, with the receipts that were not as expected. @throws LicetError REPORT_NOT_FOUND */
  usageReport(batchId: number, options?: UsageReportOptions): Promise<ReportWithReceipts>;
  /** The alerts that were raised, the newest first, and who looks after them. */
  raisedAlerts(filter?: RaisedAlertsFilter): Promise<RaisedAlertList>;
  /** The next slots of each schedule, and the last ones with what came of them. Needs no service. */
  schedule(filter?: ScheduleFilter): Promise<ScheduleReport>;
  /**
   * What a month cost and used, by site, license, policy, rule, run or day. The statement of a month that has ended never changes: what is learned later
   * stands in the month in which it was learned.
   */
  statement(filter?: StatementFilter): Promise<Statement>;
  /** What each of some UTC days cost, over all sites and by site, as budgets per day count it. */
  spend(options?: SpendOptions): Promise<SpendReport>;
  /** Why pages were not bought, by reason and rule: of a run, a site, some days. */
  denials(options?: DenialsOptions): Promise<DenialsReport>;
  /** Every site of the configuration and of the ledger: state, stop, last run, stored pages, spend, next slot. */
  sites(options?: SitesOptions): Promise<SitesReport>;
  /** One site: also the age of what is stored, 30 days of spend, and the prices of its newest pages with what another `maxPrice` would have bought. */
  siteDetails(host: string, options?: SiteDetailsOptions): Promise<SiteDetails>;
  /** Stored documents by address, title, site, license or hash, for people: so many are looked at in one call. */
  findDocuments(options?: DocumentSearchOptions): Promise<DocumentSearchReport>;
  /** One document without its texts, and its evidence. @throws LicetError DOCUMENT_NOT_FOUND */
  documentDetails(purchaseId: number): Promise<DocumentDetails>;
  /** When the rights to stored pages end, day by day, and what happens then, as far as one look counts. */
  rights(options?: RightsOptions): Promise<RightsCalendar>;
  /** Why the next run would buy a page, or would not. Asks the gateway for its rates; buys nothing. */
  explain(url: string, options?: ExplainOptions): Promise<Explanation>;
  /**
   * What the ledger proves about a page, or about the versions with a hash (`sha256:…`): license, rule, price, receipts, uses, rights, purge.
   * It works for purged pages, asks nobody else and needs no secret. The first look for a hash after many purchases takes longer: then their
   * hashes are entered into an index, so that no purchase has to. @throws LicetError EVIDENCE_NOT_FOUND, PAGE_URL_INVALID
   */
  evidence(subject: string, options?: EvidenceOptions): Promise<Evidence>;
  /** What persons decided and did, the newest first: doubts resolved, items closed, content purged, copies accepted, runs stopped. */
  log(options?: LogOptions): Promise<ActLog>;
  audit(): Promise<AuditReport>;
  /** Deletes old rows that only explain: denials, runs that bought nothing, slots, notifications, alerts. Facts are never deleted. */
  prune(options?: PruneOptions): Promise<PruneReport>;
  /**
   * Takes content out of the ledger whose rights ended under `onExpiry: purge`, or the named pages. Hash, license, price, dates and uses
   * stay as evidence, and a page is not bought again because it was purged. Then makes the removed text unreadable in the file.
   * @throws LicetError USAGE_INVALID for named pages without a reason; CLOCK_UNSURE by a clock that may be ahead
   */
  purge(options?: PurgeOptions): Promise<PurgeReport>;
  /**
   * Copies the ledger into one file, also while other processes write it, and audits the copy. The audit of a large ledger takes
   * minutes and occupies this process: beside a service, run `licet backup`.
   * @throws LicetError BACKUP_UNWRITABLE, DISK_FULL, LEDGER_CORRUPT, USAGE_INVALID for the ledger's own file
   */
  backup(file: string, options?: CopyOptions): Promise<BackupReport>;
  /**
   * Puts a copy in the place of the ledger. It can be read, and refuses every change until `acceptRestored`.
   * @throws LicetError LEDGER_PRESENT, LEDGER_LOCKED while a process has the ledger open, LEDGER_CORRUPT, DISK_FULL
   */
  restore(file: string, options?: CopyOptions): Promise<RestoreReport>;
  /**
   * Accepts a restored copy as the ledger. What it had not reported waits for `resolveReport`; what was bought after the copy was made
   * may be bought again. With `dryRun`, only says so. @throws LicetError USAGE_INVALID for a ledger that is not a copy
   */
  acceptRestored(options?: AcceptOptions): Promise<AcceptReport>;
  /**
   * Settles (`charged`) or releases a purchase in doubt by hand. Its content never arrived, so the next run that walks the page
   * buys it again, unless `keepOff` is set.
   * @throws LicetError PURCHASE_NOT_FOUND, PURCHASE_NOT_IN_DOUBT
   */
  resolve(purchaseId: number, charged: boolean, options?: Omit<DoubtWord, "charged">): Promise<ResolvedPurchase>;
  /** Resolves all purchases in doubt of a run in the same way. @throws LicetError RUN_NOT_FOUND */
  resolveRun(runId: string, word: DoubtWord): Promise<ResolvedMany>;
  /**
   * Resolves purchases in doubt by the lines of an invoice. Each line accounts for one purchase: first for the settled ones of its page, the
   * oldest first, and only then for one in doubt. An invoice that is applied twice changes nothing.
   * @throws LicetError USAGE_INVALID for more than a million lines
   */
  resolveInvoice(lines: Iterable<InvoiceLine> | AsyncIterable<InvoiceLine>, word: DoubtWord): Promise<AppliedInvoice>;
  /**
   * Resolves a report in `needs_reconcile`. When it was taken, its uses are settled at the expected price. When it was not, it is
   * sent again.
   * @throws LicetError REPORT_NOT_FOUND, REPORT_NOT_TO_RECONCILE
   */
  resolveReport(batchId: number, taken: boolean, options?: ActingOptions): Promise<ResolvedReport>;
  /**
   * Closes an open item that a person has checked. If it stopped a site, pages of the site may be bought again.
   * @throws LicetError OPEN_ITEM_NOT_FOUND, OPEN_ITEM_NEEDS_WORD
   */
  closeItem(itemId: number, options?: ActingOptions): Promise<OpenItem>;
  /** Writes down that a person looks after an alert. Receivers are told all the same. @throws LicetError ALERT_NOT_FOUND */
  acknowledgeAlert(alertId: number, options?: ActingOptions): Promise<AcknowledgedAlert>;
  /**
   * Pauses a site: nothing of it is bought, by any run, also one under way, until `unpauseSite`. What was reserved is released, and what was sent is waited
   * for. @throws LicetError USAGE_INVALID for a site that nobody knows
   */
  pauseSite(host: string, options?: ActingOptions): Promise<PauseReport>;
  /** Ends a pause: the next run buys from the site again. @throws LicetError USAGE_INVALID for a site that nobody knows */
  unpauseSite(host: string, options?: ActingOptions): Promise<PauseReport>;
  /**
   * Returns stored documents, the latest version of each page, in a stable order, with a few in memory at a time. Texts are as received from the network and
   * are not safe to display without escaping: HTML, header, footer and the gateway's Markdown may contain scripts. Only Markdown
   * that licet derived (`html` is set) is inert.
   *
   * With a `cursor`: each document that was settled since the cursor's last acknowledgement, in order of settlement, until
   * `document.ack()`. A loop that ends early, throws, or dies leaves the cursor before the first document that is not acknowledged.
   * @throws LicetError CURSOR_IN_USE, CURSOR_MISMATCH, CURSOR_AHEAD
   */
  documents(filter: CursorFilter): AsyncIterableIterator<DeliveredDocument>;
  documents(filter?: DocumentFilter): AsyncIterableIterator<StoredDocument>;
  /**
   * Fixes the new documents of a cursor before they are read, for a receiver that must have each exactly once. Null: nothing is new. The
   * cursor is this reader's until `close()`.
   * @throws LicetError CURSOR_IN_USE, CURSOR_MISMATCH, CURSOR_AHEAD
   */
  documentRange(filter: RangeFilter): Promise<DocumentRange | null>;
  /** The gateway's webhook delivery records, newest page first. */
  history(query?: {
    readonly daysAgo?: number | undefined;
    readonly limit?: number | undefined;
  }): AsyncIterableIterator<DeliveryRecord>;
  /** Who is told what, and with `test` whether each receiver takes a test. Never throws for a receiver that does not. */
  alerts(options?: AlertsOptions): Promise<AlertsReport>;
  /** Checks configuration, ledger, queue and gateway in turn. Never throws for a problem that it finds. */
  check(options?: CheckOptions): Promise<CheckReport>;
  on<Name extends keyof AgentEvents>(name: Name, listener: (event: AgentEvents[Name]) => void): void;
  off<Name extends keyof AgentEvents>(name: Name, listener: (event: AgentEvents[Name]) => void): void;
  /** Waits for calls in flight, then closes everything. */
  close(): Promise<void>;
}
