import type { Balance, Budget } from "../budget/budget.ts";
import type { RefreshTerms } from "../catalog/freshness.ts";
import type { WalkState } from "../catalog/walk-state.ts";
import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { ContentFormat, InDoubtPolicy, Intent } from "../policy/rule.ts";
import type { DenialReason } from "../policy/verdict.ts";
import type { Rate, RateListing } from "../rates/rate.ts";
import type { SiteStop } from "./run-ledger.ts";

/** A catalog entry whose URL has been checked. */
export interface WalkedEntry {
  /** Canonical: the page's identity. */
  readonly url: string;
  /** The spelling sent to the gateway. */
  readonly wireUrl: string;
  readonly lastMod: string | null;
  readonly lastModAt: number | null;
  readonly propertyId: string | null;
  /** True when the site's include and exclude globs leave it out. */
  readonly excluded: boolean;
}

export interface OpenedWalk {
  readonly runId: string;
  readonly host: string;
  /** Which leasing of this batch this is, from 1. */
  readonly attempt: number;
  readonly walk: WalkState;
}

export interface CatalogRecord {
  readonly leaseId: string;
  readonly now: number;
  readonly entries: readonly WalkedEntry[];
  /** Entries that cannot be pages of this site, with why. Counted as `rejected` and kept as examples (a few per reason). */
  readonly rejected: readonly { readonly raw: string; readonly reason: string }[];
  readonly refresh: RefreshTerms;
  /** Where the walk stands after this page, before the ledger's own check for a repeated token. */
  readonly next: WalkState;
  /** Pages per quote batch. */
  readonly quoteBatchSize: number;
  /** `indexing` pages need no rates but travel the same way. */
  readonly intent: Intent;
}

export interface CatalogRecorded {
  readonly stale: boolean;
  readonly seen: number;
  readonly repeated: number;
  /** Negative where a page that was counted before turned out to have a newer version. */
  readonly unchanged: number;
  readonly excluded: number;
  readonly candidates: number;
  /** True when the next page's token has been used in this walk before: the walk ended with a warning. */
  readonly looped: boolean;
  /** True when the walk has read far more catalog pages than it has found pages of the site: it ended with a warning. */
  readonly idle: boolean;
  readonly walkEnded: boolean;
  /** A candidate that the ledger knows under the other scheme too, as an example: `http` and `https` are two pages, bought twice. */
  readonly otherScheme: string | null;
}

export interface FrontierPage {
  readonly pageId: number;
  readonly url: string;
  readonly wireUrl: string;
  readonly lastModAt: number | null;
}

export interface OpenedQuoteBatch {
  readonly runId: string;
  readonly host: string;
  /** Which leasing of this batch this is, from 1. */
  readonly attempt: number;
  readonly pages: readonly FrontierPage[];
}

/** What `decide` made of one page. `listing` is kept for `explain`; null when the page was not quoted. */
export interface PageDecision {
  readonly pageId: number;
  readonly listing: RateListing | null;
  readonly verdict:
    | {
        readonly kind: "allowed";
        readonly ruleIndex: number;
        /** null for indexing */
        readonly rate: Rate | null;
        /** Fee on top of the rate, reserved with it (gateway-notes § Money). */
        readonly feeMicros: Micros;
        /** Set aside for the report of the fetch where that is billed too, else 0. */
        readonly useReserveMicros: Micros;
      }
    | {
        readonly kind: "denied";
        readonly ruleIndex: number | null;
        readonly reason: DenialReason;
        readonly detail: string | null;
      };
}

export interface DecideRequest {
  readonly leaseId: string;
  readonly now: number;
  readonly policyName: string;
  /** Each rule of the policy in words: a purchase keeps those of the rule that allowed it, since the file changes. */
  readonly ruleTexts: readonly string[];
  readonly intent: Intent;
  readonly format: ContentFormat;
  readonly inDoubt: InDoubtPolicy;
  /** Whether the fetch is reported as a use (`reporting.kinds` has `fetch`). */
  readonly reportsFetch: boolean;
  readonly refresh: RefreshTerms;
  readonly decisions: readonly PageDecision[];
  /** Every configured budget; the ledger picks those that cover the host. */
  readonly budgets: readonly Budget[];
  /** Sites of the run that are only indexed: no budget covers them, so none stops them. @default none */
  readonly indexingHosts?: readonly string[];
  /** Purchases per acquire batch. */
  readonly acquireBatchSize: number;
}

export interface Decided {
  readonly stale: boolean;
  readonly approved: number;
  /** Counts by reason, the ledger's own denials included. */
  readonly denied: Readonly<Partial<Record<DenialReason, number>>>;
  /**
   * Set when something stopped the site from reserving more: a limit of the pages, budgets in all of its currencies, or an open item of the
   * site. What a limit of the whole run covers on other sites is stopped with it.
   */
  readonly exhausted: { readonly stop: SiteStop; readonly detail: string } | null;
  /** Budgets that were found used up, where the site goes on in other currencies. */
  readonly spent?: readonly { readonly currency: Currency; readonly detail: string }[];
}

/** What the ledger knows of the rest of a site, when a part of it is forbidden. URLs are in the spelling sent to the gateway. */
export interface Elsewhere {
  /** A page of another part of the site, or null. */
  readonly otherPart: string | null;
  /** A page that was bought before, of any part, or null. */
  readonly held: string | null;
  /** False while the run's walk of the site may still find more. */
  readonly walkEnded: boolean;
}

/** The frontier: what a walk found and the run has not yet decided. */
export interface FrontierLedger {
  /** Reads a leased walk batch; null when the lease is stale or the site was stopped. */
  openWalk(leaseId: string): Promise<OpenedWalk | null>;
  /**
   * Records one catalog page: pages, frontier, counts and cursor in one transaction; makes quote batches of what is worth
   * looking at; leaves the next walk batch, or ends the walk. Idempotent by lease. A page seen before in this run counts once
   * (`repeated`); of its dates the newest counts.
   */
  recordCatalogPage(record: CatalogRecord): Promise<CatalogRecorded>;
  /** Ends a site's walk early with a recorded warning (the catalog cannot be read further). Pages already found go on. */
  endWalk(end: { readonly leaseId: string; readonly warning: string; readonly now: number }): Promise<boolean>;

  /** Reads a leased quote batch; null when the lease is stale or the site was stopped. Pages already decided are left out. */
  openQuoteBatch(leaseId: string): Promise<OpenedQuoteBatch | null>;
  /**
   * Decides a batch of pages in one transaction: for each allowed page, in order, checks that it is not held, open or
   * in doubt meanwhile, then every limit and budget that covers it, and reserves quote + fee + billed fetch; else
   * writes the denial. At the first page that does not fit, reserving stops for what the limit covers: for a budget, the pages
   * of its currency (`budget_exhausted`).
   * Makes acquire batches of the reservations and finishes the quote batch. Idempotent by lease (promises 1, 2, 3).
   */
  decide(request: DecideRequest): Promise<Decided>;
  /** Plans only: finishes a quote batch without deciding. False when stale. */
  finishQuoteBatch(leaseId: string): Promise<boolean>;
  /** Plans only: which of these pages could not be bought whatever the policy says, and why. */
  findBlocked(query: {
    readonly pageIds: readonly number[];
    readonly inDoubt: InDoubtPolicy;
  }): Promise<readonly { readonly pageId: number; readonly reason: "in_doubt" | "already_open" }[]>;
  /** For each host, how many pages its recent runs bought again, and of how many of them the content was the one held. */
  readRepurchases(query: {
    readonly hosts: readonly string[];
  }): Promise<readonly { readonly host: string; readonly repurchased: number; readonly repurchasedEqual: number }[]>;
  /**
   * What may tell a site that is not enabled from one that forbids a part.
   * @param query.part the address up to the end of the first path segment
   */
  findElsewhere(query: { readonly runId: string; readonly host: string; readonly part: string }): Promise<Elsewhere>;
  /** What counts against each budget at `now`, in the order given; a `run` budget needs `runId`. For `plan`, `status` and `explain`. */
  readBalances(query: {
    readonly budgets: readonly Budget[];
    readonly hosts: readonly string[];
    readonly runId: string | null;
    readonly now: number;
  }): Promise<
    readonly {
      readonly budget: Budget;
      readonly balance: Balance;
      /** The part of `balance.settledMicros` that is fees. */
      readonly feeMicros: Micros;
    }[]
  >;
}
