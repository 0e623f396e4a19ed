import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { DoubtReason, PurchaseState } from "../purchase/purchase.ts";
import type { License } from "../rates/license.ts";
import type { RateListing } from "../rates/rate.ts";
import type { ContentRecord } from "./purchase-ledger.ts";
import type { RunState } from "./run-ledger.ts";
import type { OpenItem } from "./usage-ledger.ts";

/** Money of one run or of everything, per currency. */
export interface Spend {
  /** What the gateway charged for pages and uses, as its own books have it: without the transaction fee. */
  readonly settledMicros: Micros;
  readonly inDoubtMicros: Micros;
  readonly reservedMicros: Micros;
  /** The transaction fees of what is settled. Budgets count them too; what is in doubt and set aside includes its own. */
  readonly feeMicros: Micros;
}

/** Pages of a run or a site: how many were seen, and what became of them. */
export interface PageCounts {
  readonly seen: number;
  readonly unchanged: number;
  readonly excluded: number;
  readonly quoted: number;
  readonly approved: number;
  readonly denied: number;
  readonly acquired: number;
  readonly failed: number;
  readonly inDoubt: number;
}

/** One site of a run. */
export interface SiteSummary extends PageCounts {
  readonly host: string;
  /** Catalog entries that could not be pages of this site. */
  readonly rejected: number;
  /** Of the pages acquired, those that came without content (`content.minBytes`). */
  readonly empty: number;
  readonly stop: string | null;
  readonly stopDetail: string | null;
  /** A warning that ended or marred the walk. */
  readonly walkWarning: string | null;
  readonly walkEnded: boolean;
  /** Pages of which an earlier version was held, and how many of them turned out to be the same content, byte for byte. */
  readonly repurchased: number;
  readonly repurchasedEqual: number;
  /** Currencies in which nothing more was bought, each with the budget that is used up. */
  readonly exhausted: Readonly<Record<Currency, string>>;
}

/** A page of a run that was not bought although it was approved, with the words of whoever refused it. */
export interface RefusedPage {
  readonly url: string;
  /** Why it was released. */
  readonly reason: string;
  readonly detail: string;
}

/** A run as the ledger has it. */
export interface RunSummary {
  readonly runId: string;
  readonly state: RunState;
  readonly reason: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly sites: readonly SiteSummary[];
  readonly pages: PageCounts;
  /** By denial reason. */
  readonly denials: Readonly<Record<string, number>>;
  /** Why purchases were released, by reason. */
  readonly failures: Readonly<Record<string, number>>;
  /** The first few of them that were refused, as examples. */
  readonly refused: readonly RefusedPage[];
  readonly spend: Readonly<Record<Currency, Spend>>;
  /** Uses recorded by this run, how many of them are reported, still wait, or were rejected. */
  readonly usage: {
    readonly recorded: number;
    readonly reported: number;
    readonly pending: number;
    readonly rejected: number;
  };
}

/** A purchase that may have been charged and whose content never came. */
export interface DoubtfulPurchase {
  readonly purchaseId: number;
  readonly runId: string;
  readonly url: string;
  readonly quotedMicros: Micros;
  readonly currency: Currency | null;
  readonly reason: DoubtReason;
  readonly detail: string;
  readonly at: number;
}

/** What the ledger knows of runs, spend, reports and doubts. */
export interface LedgerStatus {
  readonly runs: readonly {
    readonly runId: string;
    readonly state: RunState;
    readonly startedAt: number;
    readonly endedAt: number | null;
    readonly pagesAcquired: number;
  }[];
  readonly spend: Readonly<Record<Currency, Spend>>;
  readonly usage: {
    readonly recorded: number;
    readonly reported: number;
    readonly pending: number;
    readonly rejected: number;
    readonly needsReconcile: number;
  };
  readonly inDoubt: readonly DoubtfulPurchase[];
  readonly openItems: readonly OpenItem[];
  readonly pagesHeld: number;
}

/** What the ledger knows of one page. */
export interface PageRecord {
  readonly url: string;
  readonly host: string;
  /** How the gateway is asked about it: the first spelling that was met. */
  readonly wireUrl: string;
  readonly lastMod: string | null;
  readonly held: {
    readonly purchaseId: number;
    readonly settledAt: number;
    readonly lastMod: string | null;
    readonly indexingOnly: boolean;
    readonly license: License | null;
  } | null;
  readonly purchases: readonly {
    readonly purchaseId: number;
    readonly runId: string;
    readonly state: PurchaseState;
    /** The spelling it was quoted under: every request and report about it uses this one. */
    readonly url: string;
    readonly ruleIndex: number;
    /** The words of that rule at the decision; null for purchases of ledgers older than schema 2. */
    readonly rule: string | null;
    readonly policyName: string;
    readonly license: License | null;
    readonly quotedMicros: Micros;
    readonly chargedMicros: Micros | null;
    readonly currency: Currency | null;
    readonly reason: string | null;
    /** The words that came with the reason: the gateway's own, where it refused. */
    readonly detail: string | null;
    readonly at: number;
    readonly listing: RateListing | null;
  }[];
  readonly denials: readonly {
    readonly runId: string;
    readonly reason: string;
    readonly ruleIndex: number | null;
    readonly policyName: string;
    readonly detail: string | null;
    readonly at: number;
    readonly listing: RateListing | null;
  }[];
}

/** One promise that the rows do not keep. */
export interface Violation {
  /** The promise's number in the design, 1 to 7; 0 for damage that belongs to none (a corrupt file, a broken reference). */
  readonly promise: number;
  readonly detail: string;
}

/** `audit --json`: every promise, recomputed from the rows. */
export interface AuditReport {
  /** Whether no promise is violated. Open items do not count: they are what others got wrong, or what a person did knowingly. */
  readonly ok: boolean;
  readonly violations: readonly Violation[];
  /** What a person has to look at, oldest first; `totals.openItems` counts them all. */
  readonly openItems: readonly OpenItem[];
  readonly totals: {
    readonly openItems: number;
    readonly purchases: Readonly<Record<PurchaseState, number>>;
    readonly spend: Readonly<Record<Currency, Spend>>;
    readonly uses: { readonly recorded: number; readonly reported: number; readonly pending: number };
    readonly reportedMicros: Readonly<Record<Currency, Micros>>;
    readonly documents: number;
  };
}

/** A stored page with its licence and its evidence. */
export interface HeldDocument extends ContentRecord {
  readonly url: string;
  readonly host: string;
  readonly purchaseId: number;
  /** The spelling that the page was bought and is reported under. */
  readonly purchaseUrl: string;
  readonly runId: string;
  readonly intent: "content" | "indexing";
  /** The words of the rule that allowed it; null for purchases of ledgers older than schema 2. */
  readonly rule: string | null;
  readonly license: License | null;
  readonly priceMicros: Micros | null;
  readonly currency: Currency | null;
  readonly lastMod: string | null;
  readonly settledAt: number;
}

/** Reading without changing. */
export interface LedgerReports {
  /** False for a ledger that no run was ever recorded in: a new one. */
  hasRuns(): Promise<boolean>;
  /** @throws LicetError RUN_NOT_FOUND */
  readRun(runId: string): Promise<RunSummary>;
  /** The newest runs (at most `runs`), totals, what is in doubt, what is open. */
  readStatus(query: { readonly runs: number }): Promise<LedgerStatus>;
  /** null when the ledger has never seen the page. @param url canonical */
  readPage(url: string): Promise<PageRecord | null>;
  /**
   * Recomputes every balance from the rows, by another path than the one that keeps them, and lists each violated promise.
   * @param budgets those configured now: their limits are checked for the period of `now`
   */
  audit(query: {
    readonly budgets: readonly {
      readonly key: { readonly scope: string; readonly period: string };
      readonly currency: Currency;
      readonly limitMicros: Micros;
      readonly label: string;
    }[];
    readonly now: number;
  }): Promise<AuditReport>;
  /** Held pages in order of page, after `afterPageId`; an empty array ends. For `documents()` and `export`. */
  readDocuments(query: {
    readonly host: string | null;
    readonly afterPageId: number;
    readonly limit: number;
  }): Promise<readonly (HeldDocument & { readonly pageId: number })[]>;
}
