/**
 * The agent: licet as a library (design § Library). One agent works for one configuration; it opens its ledger, gateway and
 * queue when a call first needs them and closes them on `close()`.
 */
import type { Budget } from "../budget/budget.ts";
import type { DeliveryRecord } from "../gateway/gateway.ts";
import type { AuditReport, HeldDocument, LedgerStatus, PageCounts, PageRecord } from "../ledger/ledger-reports.ts";
import type { ResolvedPurchase } from "../ledger/purchase-ledger.ts";
import type { UnfinishedRun } from "../ledger/run-ledger.ts";
import type { OpenItem, ResolvedReport } from "../ledger/usage-ledger.ts";
import type { Micros } from "../money/micros.ts";
import type { Currency, Money } from "../money/money.ts";
import type { RuleFinding, Verdict } from "../policy/verdict.ts";
import type { RateListing } from "../rates/rate.ts";
import type { DoubtWord, InvoiceLine, ResolvedMany } from "./doubt-word.ts";
import type { AgentEvents } from "./events.ts";
import type { CancelReport, RunReport } from "./run-report.ts";

/** What a run covers, and where it ends. */
export interface RunOptions {
  /** Only these sites; default: all configured ones. @throws LicetError USAGE_INVALID for one that is not configured */
  readonly hosts?: readonly string[];
  /** Goes on with an earlier run: its id, or `newest`. Without it, an interrupted run of the same sites goes on by itself. */
  readonly resume?: string;
  /** Begins a new run also where an interrupted one of the same sites could go on. @default false */
  readonly fresh?: boolean;
  /**
   * While another process works on a run of one of these sites: end with the report of that run and `skipped`, not with an error.
   * @default false
   */
  readonly skipIfRunning?: boolean;
  /**
   * Ends the run before more than this is set aside or spent by it since it began, also before it was resumed: an amount, or a text
   * like `"5 USD"`. @throws LicetError USAGE_INVALID where no budget is in its currency
   */
  readonly maxSpend?: Money | string;
  /** Ends the run after this many approved pages since it began. */
  readonly maxPages?: number;
  /** Abort it to stop gently: what is started is finished, the rest is kept for `resume`. */
  readonly signal?: AbortSignal;
}

/** What one budget would look like after the plan. */
export interface PlannedBudget {
  readonly budget: Budget;
  readonly label: string;
  /** Settled, in doubt and set aside, fees included. */
  readonly spentMicros: Micros;
  readonly plannedMicros: Micros;
  /** Limit − spent − planned, never negative. */
  readonly leftMicros: Micros;
  readonly exhausted: boolean;
}

/** `plan --json`. Nothing was reserved or spent. */
export interface PlanReport {
  readonly sites: readonly {
    readonly host: string;
    readonly pages: Omit<PageCounts, "acquired" | "failed" | "inDoubt">;
    readonly warning: string | null;
  }[];
  readonly pages: Omit<PageCounts, "acquired" | "failed" | "inDoubt">;
  readonly denials: Readonly<Record<string, number>>;
  readonly cost: Readonly<Record<Currency, { readonly micros: Micros; readonly pages: number }>>;
  readonly budgets: readonly PlannedBudget[];
  /** What a person should know before a run. */
  readonly warnings: readonly string[];
  readonly durationMs: number;
}

/** A later use of a held page. */
export interface UseInput {
  readonly url: string;
  readonly times?: number;
  /** ISO 8601 or epoch ms; default: now. */
  readonly usedAt?: string | number;
  /** Makes recording the same use twice harmless. */
  readonly key?: string;
}

/** How uses are recorded. */
export interface UseOptions {
  /** Records also what passes a budget: it has happened. Flagged, and nothing more is bought under that budget. @default false */
  readonly overBudget?: boolean;
  /** Says what would be recorded and set aside, batch by batch, and records nothing. @default false */
  readonly dryRun?: boolean;
}

/** `use --json`: what was recorded, and what was refused. */
export interface UseReport {
  /** True when nothing was recorded: the rest says what would be. */
  readonly dryRun: boolean;
  readonly recorded: number;
  readonly repeated: number;
  readonly refused: readonly { readonly url: string; readonly reason: string }[];
  readonly reserved: Readonly<Record<Currency, Micros>>;
  /** True when a recorded use passed a budget: flagged, and no more is bought under it. */
  readonly overBudget: boolean;
}

/** How the outbox is flushed. */
export interface ReportOptions {
  readonly signal?: AbortSignal;
  /** Sends what was rejected once more, never what was taken: after a wrong setting was mended. @default false */
  readonly retryRejected?: boolean;
}

/** What a flush of the outbox did. */
export interface FlushReport {
  readonly batches: number;
  readonly reported: number;
  readonly rejectedEntries: number;
  readonly pending: number;
  readonly needsReconcile: number;
  /** Why reporting stopped before everything was sent; null when nothing is left. */
  readonly stopped: string | null;
  /** The first uses that were sent alone were all refused and nothing was taken: a setting is wrong, and everything is kept. */
  readonly allRefused: boolean;
  /** Uses that were rejected before and wait to be reported again, by `retryRejected`. */
  readonly retried: number;
  /** What the reported uses came to that are billed, by currency. */
  readonly charged: Readonly<Record<Currency, Micros>>;
  /** Whether a use passed a budget, and nobody has closed the open item about it. */
  readonly overBudget: boolean;
}

/** One budget now, in micros of its currency. */
export interface BudgetStatus {
  readonly label: string;
  readonly budget: Budget;
  /** null for a `run` budget: it has one balance a run. The budget counts all four amounts. */
  readonly balance: {
    /** Without fees. */
    readonly settledMicros: Micros;
    readonly feeMicros: Micros;
    readonly inDoubtMicros: Micros;
    readonly reservedMicros: Micros;
  } | null;
  /** Never negative. */
  readonly leftMicros: Micros | null;
  /** By how much the limit is passed: it was lowered, or a charge or use could not be refused. */
  readonly overMicros: Micros | null;
}

/** `status --json`. */
export interface StatusReport extends LedgerStatus {
  /** Runs that are not over, with what they hold against later ones. */
  readonly unfinished: readonly UnfinishedRun[];
  readonly budgets: readonly BudgetStatus[];
}

/** `explain --json`. */
export interface Explanation {
  readonly url: string;
  readonly host: string;
  readonly policy: { readonly name: string; readonly rules: readonly string[] };
  /** The page's rates now; null when the gateway could not be asked, with why in `liveError`. */
  readonly live: {
    readonly listing: RateListing;
    readonly findings: readonly RuleFinding[];
    /** Rates that cannot be bought and so are put before no rule, each with why. */
    readonly flawedRates: readonly { readonly rateIndex: number; readonly reason: string }[];
    readonly verdict: Verdict;
    readonly price: Money | null;
  } | null;
  readonly liveError: string | null;
  /** What each budget that covers the page would say of the price now. */
  readonly budgets: readonly { readonly label: string; readonly leftMicros: Micros; readonly fits: boolean }[];
  /** What the ledger remembers: purchases, denials, the version held. null: never seen. */
  readonly record: PageRecord | null;
}

/** `check --json`: what was tried, and what came of it. */
export interface CheckReport {
  readonly ok: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly ok: boolean;
    readonly detail: string;
    readonly hint: string | null;
  }[];
}

/** What may go. */
export interface PruneOptions {
  /** A duration such as `30d`. @default "90d" */
  readonly olderThan?: string;
  /** Says what would go, and takes nothing away. @default false */
  readonly dryRun?: boolean;
}

/** `prune --json`. */
export interface PruneReport {
  readonly dryRun: boolean;
  /** What is older went: ISO 8601. */
  readonly before: string;
  readonly denials: number;
  readonly runs: number;
  readonly examples: number;
}

/** Which held documents are read. */
export interface DocumentFilter {
  readonly host?: string;
  /** Derive Markdown for pages that were bought as HTML alone; nothing is stored. @default false */
  readonly deriveMarkdown?: boolean;
}

/** One configuration at work (design § Library): made by `createAgent`, over with `close()`. */
export interface Agent {
  /** Walks, quotes and decides; reserves and spends nothing. */
  plan(options?: Pick<RunOptions, "hosts" | "signal">): Promise<PlanReport>;
  /**
   * The main job. One at a time per agent. Takes over what earlier runs left that died, and goes on with an interrupted one of the same
   * sites. @throws LicetError RUN_ALIVE while another process works on one of the sites
   */
  run(options?: RunOptions): Promise<RunReport>;
  /**
   * Gives a run up for good: releases what is reserved, asks for what is started, ends it as `cancelled`. A process that works on it
   * finishes what it has started and stops. @throws LicetError RUN_NOT_FOUND, also for one that is complete
   */
  cancel(runId: string, options?: { readonly signal?: AbortSignal }): Promise<CancelReport>;
  /**
   * Records later uses of held pages; they are reported by the next run or `report()`. What passes a budget is refused, unless
   * `overBudget` says that it is to be recorded all the same.
   */
  use(uses: Iterable<UseInput> | AsyncIterable<UseInput>, options?: UseOptions): Promise<UseReport>;
  /** Flushes the outbox. */
  report(options?: ReportOptions): Promise<FlushReport>;
  status(): Promise<StatusReport>;
  /** @throws LicetError RUN_NOT_FOUND */
  runStatus(runId: string): Promise<RunReport>;
  explain(url: string): Promise<Explanation>;
  audit(): Promise<AuditReport>;
  /** Lets old denials go, and old runs that bought nothing. Facts stay. */
  prune(options?: PruneOptions): Promise<PruneReport>;
  /**
   * Settles (`charged`) or releases a purchase in doubt by hand. Its content never came, so the next run that walks the page buys it
   * again, unless `keepOff` says otherwise.
   * @throws LicetError PURCHASE_NOT_FOUND, PURCHASE_NOT_IN_DOUBT
   */
  resolve(purchaseId: number, charged: boolean, options?: { readonly keepOff?: boolean }): Promise<ResolvedPurchase>;
  /** The same for all purchases in doubt of a run. @throws LicetError RUN_NOT_FOUND */
  resolveRun(runId: string, word: DoubtWord): Promise<ResolvedMany>;
  /** The same for what an invoice names, line by line. */
  resolveInvoice(lines: Iterable<InvoiceLine> | AsyncIterable<InvoiceLine>, word: DoubtWord): Promise<ResolvedMany>;
  /**
   * A report in `needs_reconcile`: it was taken, and its uses are settled at the expected price; or it was not, and is sent again.
   * @throws LicetError REPORT_NOT_FOUND, REPORT_NOT_TO_RECONCILE
   */
  resolveReport(batchId: number, taken: boolean): Promise<ResolvedReport>;
  /**
   * Closes an open item that somebody has looked at; a site that it stopped may be bought from again.
   * @throws LicetError OPEN_ITEM_NOT_FOUND, OPEN_ITEM_NEEDS_WORD
   */
  closeItem(itemId: number): Promise<OpenItem>;
  /**
   * Everything held, latest version of each page, in a stable order. Texts are as received from the network and not safe to show as they
   * are: HTML, header, footer and Markdown from the gateway may hold scripts. Only Markdown that licet derived (`html` is set) is inert.
   */
  documents(filter?: DocumentFilter): AsyncIterableIterator<HeldDocument>;
  /** The gateway's webhook delivery records, newest page first. */
  history(query?: { readonly daysAgo?: number; readonly limit?: number }): AsyncIterableIterator<DeliveryRecord>;
  /** Tries configuration, ledger, queue and gateway in turn; never throws for what it finds. */
  check(): Promise<CheckReport>;
  on<Name extends keyof AgentEvents>(name: Name, listener: (event: AgentEvents[Name]) => void): void;
  off<Name extends keyof AgentEvents>(name: Name, listener: (event: AgentEvents[Name]) => void): void;
  /** Waits for what is under way, then closes everything. */
  close(): Promise<void>;
}
