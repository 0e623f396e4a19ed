import type { Balance, Budget } from "../budget/budget.ts";
import type { ReachedLimit, SpentBudget } from "../budget/limits.ts";
import type { RefreshTerms } from "../catalog/freshness.ts";
import type { WalkState } from "../catalog/walk-state.ts";
import type { ListedTerms } from "../list/list-entry.ts";
import type { Micros } from "../money/micros.ts";
import type { Currency, Money } from "../money/money.ts";
import type { PricedRate } from "../policy/price.ts";
import type { ContentFormat, InDoubtPolicy, Intent } from "../policy/rule.ts";
import type { DenialReason } from "../policy/verdict.ts";
import type { RateListing } from "../rates/rate.ts";
import type { ExpiryPolicies } from "../rights/rights.ts";
import type { OpenedBatch } from "./lease-ledger.ts";
import type { PlanBook, PlanDecisions } from "./plan-book.ts";
import type { SiteStop } from "./run-ledger.ts";
import type { OpenItemKind } from "./usage-ledger.ts";

/** A catalog entry whose URL was checked. */
export interface WalkedEntry {
  /** The canonical URL: the page's identity. */
  readonly url: string;
  /** The spelling that is sent to the gateway. */
  readonly wireUrl: string;
  readonly lastMod: string | null;
  readonly lastModAt: number | null;
  readonly propertyId: string | null;
  /** True when the site's include and exclude globs exclude the page. */
  readonly excluded: boolean;
}

export interface OpenedWalk extends OpenedBatch {
  readonly walk: WalkState;
}

export interface CatalogRecord {
  readonly leaseId: string;
  readonly now: number;
  readonly entries: readonly WalkedEntry[];
  /**
   * Entries that cannot be pages of this site, each with its reason. They are counted as `rejected`, and a few of each reason are
   * stored as examples.
   */
  readonly rejected: readonly { readonly raw: string; readonly reason: string }[];
  readonly refresh: RefreshTerms;
  /** What each policy says about content whose rights ended. @default nothing is renewed */
  readonly expiry?: ExpiryPolicies;
  /** The state of the walk after this page, before the ledger checks for a repeated token. */
  readonly next: WalkState;
  /** Pages per quote batch. */
  readonly quoteBatchSize: number;
  /** `indexing` pages need no rates but take the same steps. */
  readonly intent: Intent;
}

export interface CatalogRecorded {
  readonly stale: boolean;
  readonly seen: number;
  readonly repeated: number;
  /** Negative when a page that was counted before has a newer version. */
  readonly unchanged: number;
  readonly excluded: number;
  readonly candidates: number;
  /** True when the next page's token was already used in this walk. The walk ended with a warning. */
  readonly looped: boolean;
  /** True when the walk has read far more catalog pages than it has found pages of the site. It ended with a warning. */
  readonly idle: boolean;
  readonly walkEnded: boolean;
  /**
   * An example of a candidate that the ledger also has under the other scheme. `http` and `https` are two pages and are bought
   * twice.
   */
  readonly otherScheme: string | null;
}

export interface FrontierPage {
  readonly pageId: number;
  readonly url: string;
  readonly wireUrl: string;
  readonly lastModAt: number | null;
  /** What the run's list says of the page. Null when the run has no list. */
  readonly listed: ListedTerms | null;
}

export interface OpenedQuoteBatch extends OpenedBatch {
  readonly pages: readonly FrontierPage[];
}

/** Why a page could not be bought whatever the policy says: a person keeps it off, it is being bought, or it is in doubt. */
export type BlockReason = Extract<DenialReason, "kept_off" | "already_open" | "in_doubt">;

/** The decision on one page. `listing` is stored for `explain`. Null when the page was not quoted. */
export interface PageDecision {
  readonly pageId: number;
  readonly listing: RateListing | null;
  readonly verdict:
    | {
        readonly kind: "allowed";
        readonly ruleIndex: number;
        /** Null for indexing, which costs nothing. */
        readonly price: PricedRate | null;
      }
    | {
        readonly kind: "denied";
        readonly ruleIndex: number | null;
        readonly reason: DenialReason;
        readonly detail: string | null;
      };
}

/** The terms of a site under which its pages are decided. */
export interface SiteTerms {
  readonly policyName: string;
  /**
   * The text of each rule of the policy. A purchase stores the text of the rule that allowed it, because the configuration may
   * change.
   */
  readonly ruleTexts: readonly string[];
  readonly intent: Intent;
  readonly format: ContentFormat;
  readonly inDoubt: InDoubtPolicy;
  /** Whether the fetch is reported as a use (`reporting.kinds` contains `fetch`). */
  readonly reportsFetch: boolean;
  readonly refresh: RefreshTerms;
  /** The policy's `retention`, stored with the purchase. Null: none. @default null */
  readonly retentionMs?: number | null;
}

/** What holds for the pages of every site. */
export interface DecisionTerms {
  readonly now: number;
  /** What each policy says about content whose rights ended. @default nothing is renewed */
  readonly expiry?: ExpiryPolicies;
  /** Every configured budget. The ledger uses those that cover the host. */
  readonly budgets: readonly Budget[];
  /** Sites of the run that are only indexed. No budget covers them, so none stops them. @default none */
  readonly indexingHosts?: readonly string[];
  /** Purchases per acquire batch. */
  readonly acquireBatchSize: number;
  /** What a plan has set aside so far. A run of kind `planning` has one, and no other run. */
  readonly book?: PlanBook;
}

export interface DecideRequest extends SiteTerms, DecisionTerms {
  readonly leaseId: string;
  readonly decisions: readonly PageDecision[];
}

export interface Decided {
  readonly stale: boolean;
  readonly approved: number;
  /** Counts by reason, including the ledger's own denials. */
  readonly denied: Readonly<Partial<Record<DenialReason, number>>>;
  /**
   * Set when something stopped the site from reserving more: a limit of pages, budgets in all of its currencies, or an open item
   * of the site. A limit of the whole run also stops the other sites that it covers: `hosts` names all of them then.
   */
  readonly exhausted: { readonly stop: SiteStop; readonly detail: string; readonly hosts?: readonly string[] } | null;
  /** Budgets that are used up, when the site continues in other currencies. */
  readonly spent?: readonly { readonly currency: Currency; readonly detail: string }[];
  /** Of a plan: nothing was reserved. */
  readonly planned?: PlanDecisions;
}

/** A page of the next run, which has bought nothing yet. */
export interface ObstacleQuery extends Pick<SiteTerms, "intent" | "inDoubt" | "refresh"> {
  /** Null: the ledger does not know the page. */
  readonly pageId: number | null;
  readonly host: string;
  /** What the page would set aside. Null: nothing. */
  readonly cost: Money | null;
  readonly now: number;
  readonly expiry: ExpiryPolicies;
  readonly budgets: readonly Budget[];
  readonly maxPages: number | null;
  readonly siteMaxPages: number | null;
  readonly maxSpend: Money | null;
}

/** Each of them alone would keep the page from being bought. */
export interface Obstacles {
  /** An open item that stops the site, or its pause, which has no number. */
  readonly stoppedBy: {
    readonly id: number | null;
    readonly kind: OpenItemKind | "paused";
    readonly detail: string;
  } | null;
  readonly block: BlockReason | null;
  /** The stored version is not worth another purchase. */
  readonly isFreshEnough: boolean;
  /** The limit that the page does not fit, and the budget, if the limit is one. */
  readonly limit: ReachedLimit | "no_budget_in_currency" | null;
  readonly spent: SpentBudget | null;
}

/**
 * What the ledger knows about the other parts of a site, when one part is forbidden. URLs are in the spelling that is sent to the
 * gateway.
 */
export interface Elsewhere {
  /** A page of another part of the site, or null. */
  readonly otherPart: string | null;
  /** A page of any part that was bought before, or null. */
  readonly stored: string | null;
  /** False while the run's walk of the site may still find more. */
  readonly walkEnded: boolean;
}

/** The frontier: pages that a walk found and the run has not decided yet. */
export interface FrontierLedger {
  /** Reads a leased walk batch. Null when the lease is stale or the site was stopped. */
  openWalk(leaseId: string): Promise<OpenedWalk | null>;
  /**
   * Records one catalog page in one transaction: pages, frontier, counts and cursor. Makes quote batches of the pages that are
   * worth a quote, and creates the next walk batch or ends the walk. Idempotent by lease. A page that this run has seen before
   * counts once (`repeated`); the newest of its dates counts.
   */
  recordCatalogPage(record: CatalogRecord): Promise<CatalogRecorded>;
  /**
   * Ends a site's walk early with a recorded warning, because the catalog cannot be read further. Pages that were found are
   * processed.
   */
  endWalk(end: { readonly leaseId: string; readonly warning: string; readonly now: number }): Promise<boolean>;

  /**
   * Reads a leased quote batch without the pages that are already decided. Null when the lease is stale or the site was stopped.
   */
  openQuoteBatch(leaseId: string): Promise<OpenedQuoteBatch | null>;
  /**
   * Decides a batch of pages in one transaction. For each allowed page, in order, checks that the page is not stored, open or in
   * doubt by now, and checks every limit and budget that covers it. Then reserves quote + fee + billed fetch, or writes the
   * denial. The first page that does not fit ends the reservations of everything that the limit covers: for a budget, the pages
   * of its currency (`budget_exhausted`). Makes acquire batches of the reservations and finishes the quote batch. Idempotent by
   * lease (promises 1, 2, 3). For a plan, what a run would do is answered, and no purchase and no denial is written.
   */
  decide(request: DecideRequest): Promise<Decided>;
  /** What the next run's decision would find against a page, apart from its policy. Nothing is reserved. */
  findObstacles(query: ObstacleQuery): Promise<Obstacles>;
  /** For each host, how many pages its recent runs bought again, and how many of them had the same content as before. */
  readRepurchases(query: {
    readonly hosts: readonly string[];
  }): Promise<readonly { readonly host: string; readonly repurchased: number; readonly repurchasedEqual: number }[]>;
  /**
   * Returns what distinguishes a site that is not enabled from a site that forbids one part.
   * @param query.part the address up to the end of the first path segment
   */
  findElsewhere(query: { readonly runId: string; readonly host: string; readonly part: string }): Promise<Elsewhere>;
  /**
   * The balance of each budget at `now`, in the given order. A `run` budget needs `runId`. Used by `plan`, `status` and
   * `explain`.
   */
  readBalances(query: {
    readonly budgets: readonly Budget[];
    readonly hosts: readonly string[];
    readonly runId: string | null;
    readonly now: number;
  }): Promise<
    readonly {
      readonly budget: Budget;
      readonly balance: Balance;
      /** The fees in `balance.spentMicros`. */
      readonly feeMicros: Micros;
    }[]
  >;
}
