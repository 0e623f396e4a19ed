import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { DenialClassCounts } from "../policy/denial-class.ts";
import type { PurchaseState } from "../purchase/purchase.ts";
import type { License } from "../rates/license.ts";
import type { ListedRates } from "../rates/listed-rate.ts";
import type { ContentTerms, DocumentRights } from "../rights/rights.ts";
import type { EndedBy, RunState } from "../run/run-state.ts";
import type { StatementFacts, StatementQuery } from "../statement/statement-facts.ts";
import type { Act } from "./act-ledger.ts";
import type { DenialReports } from "./denial-reports.ts";
import type { DocumentFinder } from "./found-documents.ts";
import type { LedgerStatus } from "./ledger-status.ts";
import type { ListSummary } from "./list-ledger.ts";
import type { ContentRecord } from "./purchase-ledger.ts";
import type { ReportReports } from "./report-reports.ts";
import type { RightsCalendarReader } from "./rights-calendar.ts";
import type { RunReports } from "./run-reports.ts";
import type { SlotRecord } from "./schedule-ledger.ts";
import type { SiteReports } from "./site-reports.ts";
import type { Spend } from "./spend.ts";
import type { OpenItem } from "./usage-ledger.ts";

/**
 * Pages of a run or a site: how many were seen, and their outcomes. `seen` is the sum of `unchanged`, `excluded`, `approved`, `denied` and
 * `undecided`.
 */
export interface PageCounts {
  readonly seen: number;
  readonly unchanged: number;
  readonly excluded: number;
  readonly quoted: number;
  readonly approved: number;
  readonly denied: number;
  /** The denied pages by the class of their reason. The sum is `denied`. */
  readonly deniedBy: DenialClassCounts;
  /** Seen, and not decided: the run or the work on the site ended before. */
  readonly undecided: number;
  readonly bought: number;
  readonly failed: number;
  readonly inDoubt: number;
  /** Approved, and neither bought nor failed nor in doubt yet. With these three it adds up to `approved`. */
  readonly open: number;
}

/** One site of a run. */
export interface SiteSummary extends PageCounts {
  readonly host: string;
  /** Catalog entries that could not be pages of this site. */
  readonly rejected: number;
  /** The bought pages that came without content (`content.minBytes`). */
  readonly empty: number;
  readonly stop: string | null;
  readonly stopDetail: string | null;
  /** A warning that ended the walk or made it incomplete. */
  readonly walkWarning: string | null;
  readonly walkEnded: boolean;
  /** Pages of which an earlier version was stored, and how many of them had exactly the same content, byte for byte. */
  readonly repurchased: number;
  readonly repurchasedEqual: number;
  /** Currencies in which nothing more was bought, each with the budget that is used up. */
  readonly exhausted: Readonly<Record<Currency, string>>;
}

/** A page that was approved but not bought, with the refusal's text. */
export interface RefusedPage {
  readonly url: string;
  /** The release reason. */
  readonly reason: string;
  readonly detail: string;
}

/** A run in the ledger. */
export interface RunSummary {
  readonly runId: string;
  readonly state: RunState;
  /** Why the run ended in this way. Null when there is nothing to add. */
  readonly reason: string | null;
  /** Who ended it last. An `interrupted` run that ended `itself` waits for something that its reason names. */
  readonly endedBy: EndedBy;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** When it was resumed last, and the time that it had worked before. Null: never. */
  readonly resumedAt: number | null;
  readonly workedBeforeMs: number;
  readonly sites: readonly SiteSummary[];
  /** What became of the lines of its list. Null: the run does not buy from a list. */
  readonly list: ListSummary | null;
  readonly pages: PageCounts;
  /** By denial reason. */
  readonly denials: Readonly<Record<string, number>>;
  /** Purchases that were released, by reason: the `failed` of `pages`. */
  readonly failures: Readonly<Record<string, number>>;
  /** The first few pages that the gateway refused, with its messages. */
  readonly refused: readonly RefusedPage[];
  readonly spend: Readonly<Record<Currency, Spend>>;
  /** Uses that this run recorded: how many are reported, wait, or were rejected. */
  readonly usage: {
    readonly recorded: number;
    readonly reported: number;
    readonly pending: number;
    readonly rejected: number;
  };
}

/** Everything that the ledger contains about one page. */
export interface PageRecord {
  readonly pageId: number;
  readonly url: string;
  readonly host: string;
  /** The spelling for requests to the gateway: the first one that was seen. */
  readonly wireUrl: string;
  readonly lastMod: string | null;
  /** `lastMod` as epoch ms; a date in the future counts as the time of the walk. */
  readonly lastModAt: number | null;
  readonly stored: {
    readonly purchaseId: number;
    readonly boughtAt: number;
    readonly lastMod: string | null;
    readonly lastModAt: number | null;
    /** When the request was sent that it answered. Null: not known. */
    readonly askedAt: number | null;
    /** When its run began. Null: not known. */
    readonly runBegunAt: number | null;
    /** Of a version that was bought without a date: the first date of its catalog that does not say when the page changed. Null: none. */
    readonly datedAs: string | null;
    readonly indexingOnly: boolean;
    readonly license: License | null;
    /** The policy that bought it. */
    readonly policyName: string;
    /** Until when the license is valid. Null: the gateway named no end. */
    readonly validUntilAt: number | null;
    /** The policy's `retention` at the purchase. Null: none. */
    readonly retentionMs: number | null;
    /** When its texts were purged, and why. Null: they are there. */
    readonly purgedAt: number | null;
    readonly purgeReason: string | null;
    /** The version that was bought before it: whether this one was a renewal. Null: there was none. */
    readonly previous: Omit<ContentTerms, "host"> | null;
  } | null;
  /** Since when its catalog does not have it any more. Null: it has, as far as is known. */
  readonly goneAt: number | null;
  readonly purchases: readonly {
    readonly purchaseId: number;
    readonly runId: string;
    readonly state: PurchaseState;
    /** The spelling of its quote. Every request and report about the page uses it. */
    readonly url: string;
    readonly ruleIndex: number;
    /** The rule's text at the decision. Null: it was not recorded with the purchase. */
    readonly rule: string | null;
    readonly policyName: string;
    readonly license: License | null;
    readonly quotedMicros: Micros;
    readonly chargedMicros: Micros | null;
    readonly currency: Currency | null;
    readonly reason: string | null;
    /** The text of the reason. After a refusal it is the gateway's message. */
    readonly detail: string | null;
    readonly at: number;
    readonly listing: ListedRates | null;
  }[];
  readonly denials: readonly {
    readonly runId: string;
    readonly reason: string;
    readonly ruleIndex: number | null;
    readonly policyName: string;
    readonly detail: string | null;
    readonly at: number;
    readonly listing: ListedRates | null;
  }[];
  /** What persons decided and did about its purchases, the newest first: doubts resolved, items closed, content purged. */
  readonly acts: readonly Act[];
}

/** A promise that the rows violate. */
export interface Violation {
  /** The promise's number in the design, 1 to 7. 0 for damage that belongs to no promise (a corrupt file, a broken reference). */
  readonly promise: number;
  readonly detail: string;
}

/** `audit --json`: every promise, recomputed from the rows. */
export interface AuditReport {
  /** True when no promise is violated. Open items do not count: they are errors of others or deliberate decisions of a person. */
  readonly ok: boolean;
  readonly violations: readonly Violation[];
  /** Items that a person has to check, oldest first. `totals.openItems` counts all of them. */
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

/** A stored page with its license and its evidence. */
export interface StoredDocument extends ContentRecord {
  readonly url: string;
  readonly host: string;
  /** The purchase that bought it: the id of the document. */
  readonly purchaseId: number;
  /** The spelling that the page was bought under and is reported under. */
  readonly purchaseUrl: string;
  readonly runId: string;
  readonly intent: "content" | "indexing";
  /** The text of the rule that allowed it. Null: it was not recorded with the purchase. */
  readonly rule: string | null;
  readonly license: License | null;
  readonly priceMicros: Micros | null;
  readonly currency: Currency | null;
  readonly lastMod: string | null;
  readonly boughtAt: number;
  /**
   * The caller's own name of the page. Of a version that a run with a list bought, and of a run's documents: from its list, if that has one. Else
   * from the newest list that has one. Null: none has.
   */
  readonly key: string | null;
  /** The policy that bought it. */
  readonly policyName: string;
  /** Until when the license is valid, epoch ms. Null: the gateway named no end. */
  readonly validUntilAt: number | null;
  /** The policy's `retention` at the purchase, ms. Null: none. */
  readonly retentionMs: number | null;
  /**
   * When the rights end, and what happens then, under the policies of now. Null: they have no end. Absent where a ledger is read without a
   * configuration.
   */
  readonly rights?: DocumentRights | null;
}

/** Reads the ledger without changing it. */
export interface LedgerReports
  extends DenialReports,
    DocumentFinder,
    ReportReports,
    RightsCalendarReader,
    RunReports,
    SiteReports,
    StatementReports {
  /** @throws LicetError RUN_NOT_FOUND */
  readRun(runId: string): Promise<RunSummary>;
  /** Totals, purchases in doubt, open items. */
  readStatus(): Promise<LedgerStatus>;
  /** Null when the ledger does not know the page. @param url canonical */
  readPage(url: string): Promise<PageRecord | null>;
  /**
   * Recomputes every balance from the rows, with other code than the one that updates them, and lists each violated promise.
   * @param budgets the budgets configured now; their limits are checked for the period of `now`
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
  /** Stored pages in order of page, after `afterPageId`. An empty array means the end. Used by `documents()` and `export`. */
  readDocuments(query: {
    readonly host: string | null;
    /** Only documents settled at this instant or later. Epoch ms. */
    readonly sinceAt: number | null;
    readonly afterPageId: number;
    readonly limit: number;
  }): Promise<readonly (StoredDocument & { readonly pageId: number })[]>;
  /**
   * What one run bought, in order of purchase, after `afterPurchaseId`, also where a newer version is stored by now. An empty array means the
   * end. @throws LicetError RUN_NOT_FOUND
   */
  readRunDocuments(query: {
    readonly runId: string;
    readonly host: string | null;
    readonly sinceAt: number | null;
    readonly afterPurchaseId: number;
    readonly limit: number;
  }): Promise<readonly StoredDocument[]>;
  /** What one purchase bought. Null: its content is not stored. */
  readDocument(purchaseId: number): Promise<StoredDocument | null>;
  /** The newest slots of a schedule, the newest first. */
  readSlots(query: { readonly schedule: string; readonly limit: number }): Promise<readonly SlotRecord[]>;
}

/** What statements of months are made from. */
interface StatementReports {
  /**
   * What was booked in a month, by group, as far as it was booked when the call began. Reads the bookings of the month with what they name, and all doubts
   * that there ever were. The same call gives the same facts for a month that is over.
   */
  readStatement(query: StatementQuery): Promise<StatementFacts>;
}
