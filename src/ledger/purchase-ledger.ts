import type { Micros } from "../money/micros.ts";
import type { Money } from "../money/money.ts";
import type { ContentFormat, Intent } from "../policy/rule.ts";
import type { DoubtReason, OneTimeToken, Quote, ReleaseReason } from "../purchase/purchase.ts";
import type { SiteStop } from "./run-ledger.ts";

/** A purchase as the acquire stage needs it. */
export interface OpenPurchase {
  readonly purchaseId: number;
  readonly state: "reserved" | "started";
  readonly url: string;
  readonly wireUrl: string;
  readonly intent: Intent;
  readonly format: ContentFormat;
  /** What it holds the gateway to; null for indexing, which has no price. */
  readonly quote: Quote | null;
  /** The gateway's fee that was set aside with the quote. */
  readonly feeMicros: Micros;
  /** Only while `started`. */
  readonly token: OneTimeToken | null;
}

export interface OpenedAcquireBatch {
  readonly runId: string;
  readonly host: string;
  /** Which leasing of this batch this is, from 1. */
  readonly attempt: number;
  /** A page of the site was settled in this run with content in it: the site charges and delivers. */
  readonly isProven: boolean;
  /** Those still reserved or started, in order. */
  readonly purchases: readonly OpenPurchase[];
}

/** Purchases of a site that are reserved in a run, where a part of the site is forbidden. */
export interface ReservedElsewhere {
  /** The newest of another part, and the newest of a third one. */
  readonly otherParts: readonly OpenPurchase[];
  /** The newest of the part itself, or null. */
  readonly samePart: OpenPurchase | null;
}

/**
 * The content kept of one page. What was bought as `both` has both texts.
 *
 * All of it is as it was received from the network, but for Markdown that licet derived itself (`html` is set then): HTML, header, footer,
 * metadata and Markdown from the gateway may hold scripts, handlers, and addresses such as `javascript:` or `data:`. Whoever shows it must
 * sanitize it first, or show it as plain text.
 */
export interface ContentRecord {
  /**
   * The main content as Markdown: the gateway's as received (untrusted), or derived from the HTML (inert: no HTML, and links to http,
   * https and mailto only); null when not asked for, not derivable, or not derived yet: what was paid for is committed first,
   * Markdown follows (`recordMarkdown`).
   */
  readonly markdown: string | null;
  /** The main content as HTML, as received (untrusted); null when not asked for. */
  readonly html: string | null;
  /** What frames the content, in the format that was bought, as received (untrusted). */
  readonly header: string | null;
  readonly footer: string | null;
  readonly author: string | null;
  readonly description: string | null;
  readonly imageUrl: string | null;
  readonly modified: string | null;
  readonly published: string | null;
  readonly title: string | null;
  /** sha256, hex (content/content-hash.ts). */
  readonly contentHash: string;
  /** Why Markdown could not be derived from the HTML; null when it could or need not be. */
  readonly conversionFailure: string | null;
}

/**
 * What was wrong with an answer although its content is kept: a charge that could not be read or believed (the quote is booked
 * then), a licence other than the one ordered. A charge above the quote is found by the ledger itself.
 */
export interface AnswerFlaw {
  readonly kind: "charge_unreadable" | "license_mismatch";
  readonly detail: string;
}

export interface Settlement {
  readonly purchaseId: number;
  readonly now: number;
  /** What the gateway says it charged; null when it did not say (then the quote counts) and for indexing. */
  readonly charge: Money | null;
  /** Fee on the charge, kept apart from it. */
  readonly feeMicros: Micros;
  readonly content: ContentRecord;
  readonly requestId: string | null;
  readonly flaws: readonly AnswerFlaw[];
  /** The content is shorter than `content.minBytes`: it is kept, and counted. */
  readonly isEmpty: boolean;
}

export interface Settled {
  /**
   * `settled`: by this call, also when a second worker's content meets a purchase that was in doubt or released meanwhile.
   * `repeated`: it was settled before; nothing changed.
   */
  readonly outcome: "settled" | "repeated";
  /**
   * What the answer got wrong stopped the site, until its open item is closed (design § Purchases): charged more than quoted, a
   * charge that cannot be read, another licence. null: nothing was wrong.
   */
  readonly stopped: { readonly stop: SiteStop; readonly detail: string } | null;
}

/** A purchase in doubt, by what an invoice may say of it. */
export interface DoubtToResolve {
  readonly purchaseId: number;
  readonly url: string;
  /** The spelling that the gateway was asked for. */
  readonly wireUrl: string;
  /** Without the fee. */
  readonly quoted: Money | null;
  readonly fee: Money | null;
}

/** A purchase after a person's word on it. */
export interface ResolvedPurchase {
  readonly purchaseId: number;
  readonly url: string;
  readonly state: "settled" | "released";
  readonly amount: Money | null;
  /** The page is not bought again. Else it is, by the next run that walks it: its content never came. */
  readonly keptOff: boolean;
}

/** Purchases and the content they bring. */
export interface PurchaseLedger {
  /** Reads a leased acquire batch; null when the lease is stale. */
  openAcquireBatch(leaseId: string): Promise<OpenedAcquireBatch | null>;
  /**
   * What may be asked for to tell a site that is not enabled from one that forbids a part: nothing but what this run has reserved.
   * @param query.part the address up to the end of the first path segment
   */
  findReserved(query: {
    readonly runId: string;
    readonly host: string;
    readonly part: string;
  }): Promise<ReservedElsewhere>;
  /**
   * `reserved → started`, a compare-and-set, durable before the chargeable request may be sent. False when the purchase
   * is no longer reserved or the lease is stale: then it must not be sent.
   * @throws LicetError DISK_FULL also while there is little room left, so that what is under way can still be settled
   */
  startPurchase(start: {
    readonly leaseId: string;
    readonly purchaseId: number;
    readonly token: OneTimeToken;
    readonly now: number;
  }): Promise<boolean>;
  /**
   * Indexing only: replaces the token of a *started* purchase, since nothing is charged and a fresh token may be used.
   * False when it is no longer started or the lease is stale.
   */
  renewIndexingToken(renewal: {
    readonly leaseId: string;
    readonly purchaseId: number;
    readonly token: OneTimeToken;
  }): Promise<boolean>;
  /**
   * Content, charge, use and balance in one transaction (promise 4), with an open item and a lasting stop of the site for what the
   * answer got wrong. Takes no lease: content in hand is never refused.
   * The token is erased. Records the `fetch` use where the decision said so.
   */
  settlePurchase(settlement: Settlement): Promise<Settled>;
  /**
   * Stores what the conversion of a settled page's HTML gave: Markdown, or why there is none. Idempotent: the first one stays.
   */
  recordMarkdown(derived: {
    readonly purchaseId: number;
    readonly markdown: string | null;
    readonly failure: string | null;
  }): Promise<boolean>;
  /** Settled pages bought as `both` whose Markdown was neither derived nor given up (a crash came between). Indexed. */
  listUnderived(
    limit: number,
  ): Promise<readonly { readonly purchaseId: number; readonly url: string; readonly html: string }[]>;
  /**
   * `reserved | started → released`. False when it was neither (idempotent). The token is erased. For want of a token
   * (`token_refused`, `token_failed`) only from `reserved`: another worker may have started it with one.
   */
  releasePurchase(release: {
    /** With it, only while it is the batch's newest. */
    readonly leaseId?: string;
    readonly purchaseId: number;
    readonly reason: ReleaseReason;
    readonly detail: string;
    readonly now: number;
  }): Promise<boolean>;
  /**
   * `started → in_doubt`. The token is erased. One that costs nothing (price, fee and report) leaves nothing to doubt: it is resolved
   * as not charged at once, by a resolution row of its own, and is released. null when it was not started (idempotent).
   */
  holdInDoubt(doubt: {
    readonly purchaseId: number;
    readonly reason: DoubtReason;
    readonly detail: string;
    readonly now: number;
  }): Promise<"in_doubt" | "released" | null>;
  /** Ends an acquire batch none of whose purchases is reserved or started any more. False when stale or some are: return it instead. */
  finishAcquireBatch(leaseId: string): Promise<boolean>;
  /**
   * Resolves a purchase in doubt by hand: a new resolution row, `charged` at the quoted price or not charged. With `keepOff` its
   * page is never bought again (denial `kept_off`).
   * @throws LicetError PURCHASE_NOT_FOUND, PURCHASE_NOT_IN_DOUBT
   */
  resolvePurchase(resolution: {
    readonly purchaseId: number;
    readonly charged: boolean;
    /** @default false */
    readonly keepOff?: boolean;
    readonly now: number;
  }): Promise<ResolvedPurchase>;
  /** Purchases in doubt, of one run or all, after a number: for resolving many. An empty array ends. */
  readDoubts(query: {
    readonly runId: string | null;
    readonly afterPurchaseId: number;
    readonly limit: number;
  }): Promise<readonly DoubtToResolve[]>;
}
