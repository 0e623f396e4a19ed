/**
 * Candidates: pages that a run has quoted and not decided yet. Under an order other than that of the catalog (`run.order`), every page is
 * quoted first. Then the candidates are decided from the best down, over all sites. They are working state: whoever goes on with a run
 * quotes its pages again.
 */
import type { NoRoomPolicy } from "../budget/limits.ts";
import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { BestFirst } from "../policy/rank-page.ts";
import type { DenialReason } from "../policy/verdict.ts";
import type { RateListing } from "../rates/rate.ts";
import type { Decided, DecisionTerms, FrontierPage, PageDecision, SiteTerms } from "./frontier-ledger.ts";
import type { PlanDecisions } from "./plan-book.ts";

/** A decision by the policy alone, and what the page is worth. */
export interface RankedDecision extends PageDecision {
  readonly value: number | null;
}

export interface CandidatesRecord {
  readonly leaseId: string;
  readonly now: number;
  readonly order: BestFirst;
  readonly policyName: string;
  readonly decisions: readonly RankedDecision[];
}

export interface Candidate extends FrontierPage {
  readonly host: string;
  /** Null for a page that is only indexed. */
  readonly listing: RateListing | null;
  readonly rank: number;
  /** The line of the run's list that names it. */
  readonly line: number | null;
}

/** Where the reading of candidates goes on. */
export interface CandidateCursor {
  /** The last candidate that was read of each currency; null for pages without one. */
  readonly lanes: readonly {
    readonly currency: Currency | null;
    readonly behind: {
      readonly rank: number;
      readonly costMicros: number;
      readonly age: number;
      readonly url: string;
    } | null;
  }[];
}

export interface CandidateQuery {
  readonly runId: string;
  readonly order: BestFirst;
  readonly limit: number;
  /** Null: from the best one. */
  readonly after: CandidateCursor | null;
  /** What a page of a currency may cost at most: dearer ones are left out. @default no bound */
  readonly room?: Readonly<Record<Currency, Micros>>;
}

/** What a candidate would cost and bring. */
export interface CandidateWorth {
  readonly pageId: number;
  readonly host: string;
  readonly costMicros: Micros;
  readonly currency: Currency;
  readonly value: number;
}

export interface DecideCandidatesRequest extends DecisionTerms {
  readonly runId: string;
  /** Its process. When another process owns the run, nothing is decided. */
  readonly process: string;
  /** The terms of each site that the decisions name. */
  readonly sites: readonly (SiteTerms & { readonly host: string })[];
  /** From the best down. */
  readonly decisions: readonly PageDecision[];
  /** `keep`: what no limit has room for stays a candidate. */
  readonly noRoom: Exclude<NoRoomPolicy, "end_buying">;
}

export interface CandidatesDecided {
  /** True when the run has ended or belongs to another process. */
  readonly stale: boolean;
  readonly sites: readonly (Omit<Decided, "stale"> & { readonly host: string })[];
  /** What a page may cost at most, for each currency of the decisions in which anything bounds it, whatever its site is. */
  readonly room: Readonly<Record<Currency, Micros>>;
  /** Of a plan: nothing was reserved. */
  readonly planned?: PlanDecisions;
}

export interface CandidateLedger {
  /**
   * Ends a quote batch: what the policy allows becomes a candidate, the rest is denied, in one transaction. Nothing is reserved. Idempotent by
   * lease.
   */
  recordCandidates(record: CandidatesRecord): Promise<{
    readonly stale: boolean;
    readonly candidates: number;
    readonly denied: Readonly<Partial<Record<DenialReason, number>>>;
  }>;
  /**
   * Candidates from the best down. Of several currencies, each gives one in turn, because amounts of different currencies are never compared;
   * dates are. Pages that cost nothing come first, unless the order is by date.
   */
  readCandidates(query: CandidateQuery): Promise<{
    readonly candidates: readonly Candidate[];
    /** Null when there are no more. */
    readonly next: CandidateCursor | null;
  }>;
  /** These candidates, in the order in which they are given. Those that were decided are left out. */
  findCandidates(query: { readonly runId: string; readonly pageIds: readonly number[] }): Promise<readonly Candidate[]>;
  /** The candidates with a price and a value. Null when there are more than `limit`. */
  readWorths(query: { readonly runId: string; readonly limit: number }): Promise<readonly CandidateWorth[] | null>;
  /** Gives candidates a new rank: their cost is another one by now. */
  rankCandidates(ranking: {
    readonly runId: string;
    readonly order: BestFirst;
    readonly decisions: readonly RankedDecision[];
  }): Promise<void>;
  /**
   * Decides candidates of any sites in one transaction, in the given order, with the checks of `decide`. A page that no limit has room for is
   * passed over, and those behind it are tried. Idempotent: what was decided is left alone (promises 1, 2, 3).
   */
  decideCandidates(request: DecideCandidatesRequest): Promise<CandidatesDecided>;
}
