import type { LimitFunction } from "p-limit";
import type { Budget } from "../budget/budget.ts";
import type { RefreshTerms } from "../catalog/freshness.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Ids } from "../ids.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Micros } from "../money/micros.ts";
import type { Currency, Money } from "../money/money.ts";
import type { CompiledPolicy } from "../policy/match-rule.ts";
import type { Fee } from "../policy/rule.ts";
import type { Clock } from "../time/clock.ts";
import type { ReportingTerms } from "../usage/use.ts";
import type { AnswerStreaks } from "./answer-streaks.ts";
import type { BuyingHold } from "./buying-hold.ts";
import type { SiteHealth } from "./site-health.ts";

/** What the stages need to know of one configured site. */
export interface SiteSettings {
  readonly host: string;
  readonly policy: CompiledPolicy;
  readonly refresh: RefreshTerms;
  /** Whether the site's globs leave this path out. */
  readonly isExcluded: (path: string) => boolean;
  readonly reporting: ReportingTerms;
  /** Those with a budget (or a `maxSpend`) over this site: a rate in another one cannot be bought. */
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

/** What the stages say while they work. Emitting never throws and never waits. */
export interface StageEvents {
  walked(event: { readonly host: string; readonly seen: number; readonly candidates: number }): void;
  decided(event: {
    readonly host: string;
    readonly approved: number;
    readonly denied: Readonly<Record<string, number>>;
  }): void;
  acquired(event: { readonly url: string; readonly charged: Money | null }): void;
  failed(event: { readonly url: string; readonly reason: string; readonly detail: string }): void;
  inDoubt(event: { readonly url: string; readonly reason: string; readonly quoted: Money | null }): void;
  siteStopped(event: { readonly host: string; readonly stop: string; readonly detail: string }): void;
  reported(event: {
    readonly entries: number;
    readonly uses: number;
    /** For those that are billed. */
    readonly charged: Readonly<Record<Currency, Micros>>;
  }): void;
  /** Rates of a site that cannot be bought: how many more, and what is wrong with one of them. */
  flawedRates(event: {
    readonly host: string;
    readonly count: number;
    readonly url: string;
    readonly flaw: string;
  }): void;
  /** The catalog, or the ledger, has pages under `http` and `https`; `example` is one of them. */
  twoSchemes(event: { readonly host: string; readonly example: string }): void;
  warned(message: string): void;
}

/** Sizes and waits of the pipeline. Every one is a limit with a name; agent/tuning.ts and the configuration hold the values. */
export interface PipelineLimits {
  /** Entries asked of the catalog at once. */
  readonly catalogPageSize: number;
  /** URLs a bulk rate request asks for. */
  readonly quoteBatchSize: number;
  /** Purchases a job holds. */
  readonly acquireBatchSize: number;
  /** How long the holder of a lease may be silent, ms. */
  readonly leaseMs: number;
  /** A batch that met a passing failure is leased this often before its failure counts, and how long it rests between. */
  readonly batchAttempts: number;
  readonly batchBackoffMs: number;
  /** A chargeable request without a usable answer is sent again with its token this often, with growing waits. */
  readonly probes: number;
  readonly probeBackoffMs: number;
  readonly maxProbeBackoffMs: number;
  /**
   * How long the flusher may be silent, ms. Short: what it guards is harmless (the same frozen bytes sent twice are one report),
   * and whoever comes after a killed flusher has to wait for it.
   */
  readonly flushLeaseMs: number;
  /** Content of a paid page shorter than this counts as none. */
  readonly minContentBytes: number;
  /** Entries of one usage report. */
  readonly reportBatchSize: number;
  /** A batch unanswered for this long is not sent again by itself. */
  readonly reportWindowMs: number;
  readonly reportBackoffMs: number;
  readonly maxReportBackoffMs: number;
}

/** Everything a stage depends on: all that is not deterministic comes in through here. */
export interface StageDeps {
  readonly gateway: Gateway;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly ids: Ids;
  /** 0 ≤ x < 1, for jitter. */
  readonly random: () => number;
  readonly converter: MarkdownConversion;
  readonly events: StageEvents;
  readonly limits: PipelineLimits;
  readonly sites: ReadonlyMap<string, SiteSettings>;
  readonly budgets: readonly Budget[];
  readonly fee: Fee | null;
  /** What a report calls the licence's id. */
  readonly licenseIdField: string;
  /** Whether a report names the permissions of each licence. */
  readonly reportPermissions: boolean;
  /** Pages between their token and their settlement, over all jobs of this process. */
  readonly pageSlots: LimitFunction;
  /**
   * Pages between the asking for their token and the commit of their start. A token lives from its issue: while the ledger is slow, no
   * more of them are asked for than can be used soon.
   */
  readonly tokenSlots: LimitFunction;
  readonly siteHealth: SiteHealth;
  readonly answerStreaks: AnswerStreaks;
  readonly buyingHold: BuyingHold;
}
