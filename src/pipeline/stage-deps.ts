import type { Budget } from "../budget/budget.ts";
import type { RefreshTerms } from "../catalog/freshness.ts";
import type { Gateway, GatewayRetry } from "../gateway/gateway.ts";
import type { Ids } from "../ids.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { WorkerLedger } from "../ledger/worker-ledger.ts";
import type { Micros } from "../money/micros.ts";
import type { Currency, Money } from "../money/money.ts";
import type { CompiledPolicy } from "../policy/match-rule.ts";
import type { Fee, RunOrder } from "../policy/rule.ts";
import type { ExpiryPolicies } from "../rights/rights.ts";
import type { Clock } from "../time/clock.ts";
import type { ReportingTerms } from "../usage/use.ts";
import type { BuyingHold } from "./acquire/buying-hold.ts";
import type { BuyingClock } from "./decide/buying-clock.ts";
import type { DecisionTurns } from "./decide/decision-turns.ts";
import type { OpenBook } from "./decide/open-book.ts";
import type { AnswerStreaks } from "./settle/answer-streaks.ts";
import type { DocumentSink } from "./settle/document-sink.ts";
import type { SiteHealth } from "./site-health.ts";
import type { GlobWatch } from "./walk/glob-watch.ts";
import type { OutagePolicy } from "./work/outage-policy.ts";
import type { Slots } from "./work/slots.ts";

/** What the stages need to know about one configured site. */
export interface SiteSettings {
  readonly host: string;
  readonly policy: CompiledPolicy;
  readonly refresh: RefreshTerms;
  /** Says whether the site's globs exclude this path. */
  readonly isExcluded: (path: string) => boolean;
  readonly reporting: ReportingTerms;
  /** Currencies that a budget or `maxSpend` covers for this site. A rate in another currency cannot be bought. */
  readonly currencies: ReadonlySet<Currency>;
}

/** Turns the HTML of a page into Markdown, off the main thread. Never throws: a failure is an outcome. */
export interface MarkdownConversion {
  convert(
    html: string,
    baseUrl: string,
  ): Promise<
    | { readonly ok: true; readonly markdown: string }
    | { readonly ok: false; readonly reason: string; readonly detail: string }
  >;
}

/** Events that the stages emit while they work. An emit never throws and never waits. */
export interface StageEvents {
  /** `ended`: this was the last page of the catalog. */
  walked(event: {
    readonly host: string;
    readonly seen: number;
    readonly candidates: number;
    readonly ended: boolean;
  }): void;
  decided(event: {
    readonly host: string;
    readonly approved: number;
    readonly denied: Readonly<Record<string, number>>;
  }): void;
  bought(event: { readonly url: string; readonly charged: Money | null; readonly feeMicros: Micros }): void;
  failed(event: { readonly url: string; readonly reason: string; readonly detail: string }): void;
  inDoubt(event: { readonly url: string; readonly reason: string; readonly quoted: Money | null }): void;
  /** `hosts`: the sites that the same limit stopped. @default `host` alone */
  siteStopped(event: {
    readonly host: string;
    readonly stop: string;
    readonly detail: string;
    readonly hosts?: readonly string[];
  }): void;
  reported(event: {
    readonly entries: number;
    readonly uses: number;
    /** Charges of the billed uses. */
    readonly charged: Readonly<Record<Currency, Micros>>;
  }): void;
  /** A chargeable request is sent again with its token, or a whole batch is tried again. */
  retrying(event: GatewayRetry): void;
  /** Rates of a site that cannot be bought: how many more were found, and the flaw of one of them. */
  flawedRates(event: {
    readonly host: string;
    readonly count: number;
    readonly url: string;
    readonly flaw: string;
  }): void;
  /** The catalog or the ledger has pages under both `http` and `https`. `example` is one of them. */
  twoSchemes(event: {
    readonly host: string;
    readonly example: string;
    readonly namedBy: "catalog" | "list" | "fetch";
  }): void;
  warned(message: string): void;
}

/** Sizes and waits of the pipeline. Each one is a named limit. agent/tuning.ts and the configuration set the values. */
export interface PipelineLimits {
  /** Entries that one catalog request asks for. */
  readonly catalogPageSize: number;
  /** URLs a bulk rate request asks for. */
  readonly quoteBatchSize: number;
  /** Purchases of one acquire job. */
  readonly acquireBatchSize: number;
  /** A lease expires when its holder has not renewed it for this long, ms. */
  readonly leaseMs: number;
  /** A batch with a temporary failure is leased this often before the failure counts. `batchBackoffMs` is the wait between. */
  readonly batchAttempts: number;
  readonly batchBackoffMs: number;
  /** A chargeable request without a usable answer is sent again with its token this often, with growing waits. */
  readonly probes: number;
  readonly probeBackoffMs: number;
  readonly maxProbeBackoffMs: number;
  /**
   * The flusher's lease expires when it was not renewed for this long, ms. It is short for two reasons. A second flusher does no
   * harm (the same frozen bytes sent twice are one report). The next flusher has to wait for the lease of a killed one.
   */
  readonly flushLeaseMs: number;
  /** Content of a paid page that is shorter than this counts as empty. */
  readonly minContentBytes: number;
  /** Entries of one usage report. */
  readonly reportBatchSize: number;
  /** A report without an answer for this long is not sent again automatically. */
  readonly reportWindowMs: number;
  readonly reportBackoffMs: number;
  readonly maxReportBackoffMs: number;
}

/**
 * What the stages depend on that may work on another machine than that of the ledger: quote, acquire and report. All nondeterministic values come in
 * through these fields.
 */
export interface WorkerDeps {
  readonly gateway: Gateway;
  readonly ledger: WorkerLedger;
  readonly clock: Clock;
  readonly ids: Ids;
  /** 0 ≤ x < 1, for jitter. */
  readonly random: () => number;
  readonly converter: MarkdownConversion;
  readonly events: StageEvents;
  readonly limits: PipelineLimits;
  readonly fee: Fee | null;
  /** The field name of the license id in a report. */
  readonly licenseIdField: string;
  /** Whether a report names the permissions of each license. */
  readonly reportPermissions: boolean;
  /** Limits the pages between token and settlement, over all jobs of this process. */
  readonly pageSlots: Slots;
  /**
   * Limits the pages between token request and commit of the start. A token expires some time after its issue, so while the
   * ledger is slow, no more tokens are requested than can be used soon.
   */
  readonly tokenSlots: Slots;
  /** Aborts when no token is wanted any more: requests for them then end, also those that wait for their turn. Null: they end by themselves. */
  readonly tokenStop: AbortSignal | null;
  /** Where settled documents go, beside the ledger. */
  readonly documents: DocumentSink;
  readonly siteHealth: SiteHealth;
  readonly answerStreaks: AnswerStreaks;
  /** In which order the run buys. Other than `catalog`, what is quoted is kept as candidates. */
  readonly order: RunOrder;
  readonly turns: DecisionTurns;
  readonly buyingHold: BuyingHold;
  /** Asked before a failure that lasts ends anything. */
  readonly outagePolicy: OutagePolicy;
}

/** Everything that a stage depends on, with the owner of the ledger. */
export interface StageDeps extends WorkerDeps {
  readonly ledger: Ledger;
  readonly sites: ReadonlyMap<string, SiteSettings>;
  readonly budgets: readonly Budget[];
  /** What each configured policy says about content whose rights ended. */
  readonly expiry: ExpiryPolicies;
  /** Asked before each reservation. */
  readonly buyingClock: BuyingClock;
  readonly globWatch: GlobWatch;
  /** Of a plan, which decides over it. Null: what is decided is reserved. */
  readonly book: OpenBook | null;
}
