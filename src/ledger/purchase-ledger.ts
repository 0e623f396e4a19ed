import type { ActedBy } from "../act/act.ts";
import type { Micros } from "../money/micros.ts";
import type { Currency, Money } from "../money/money.ts";
import type { ContentFormat, Intent } from "../policy/rule.ts";
import type { DoubtReason, OneTimeToken, PurchaseState, Quote, ReleaseReason } from "../purchase/purchase.ts";
import type { OpenedBatch } from "./lease-ledger.ts";
import type { SiteStop } from "./run-ledger.ts";

/** A purchase with the fields that the acquire stage needs. */
export interface OpenPurchase {
  readonly purchaseId: number;
  readonly state: "reserved" | "started";
  readonly url: string;
  readonly wireUrl: string;
  readonly intent: Intent;
  readonly format: ContentFormat;
  /** What it holds the gateway to; null for indexing, which has no price. */
  readonly quote: Quote | null;
  /** The gateway's fee that was reserved with the quote. */
  readonly feeMicros: Micros;
  /** Only while `started`. */
  readonly token: OneTimeToken | null;
}

export interface OpenedAcquireBatch extends OpenedBatch {
  /** True when a page of the site was settled with content in this run. The site charges and delivers as expected. */
  readonly isProven: boolean;
  /** The purchases that are still reserved or started, in order. */
  readonly purchases: readonly OpenPurchase[];
}

/** A run's reserved purchases of a site that forbids one part. */
export interface ReservedElsewhere {
  /** The newest purchase of another part, and the newest of a third part. */
  readonly otherParts: readonly OpenPurchase[];
  /** The newest purchase of the forbidden part, or null. */
  readonly samePart: OpenPurchase | null;
}

/**
 * The stored content of one page. A page that was bought as `both` has both texts.
 *
 * All texts are as received from the network, except Markdown that licet derived (`html` is then set). HTML, header, footer,
 * metadata and the gateway's Markdown may contain scripts, event handlers, and addresses such as `javascript:` or `data:`. A
 * program that displays them must sanitize them first, or display them as plain text.
 */
export interface ContentRecord {
  /**
   * The main content as Markdown. Either the gateway's, as received (untrusted), or derived from the HTML (inert: no HTML, and
   * only http, https and mailto links). Null when it was not requested, cannot be derived, or is not derived yet: content is
   * committed first, and Markdown follows (`recordMarkdown`).
   */
  readonly markdown: string | null;
  /** The main content as HTML, as received (untrusted): it may contain scripts, so never show it without escaping it. Null when it was not requested. */
  readonly html: string | null;
  /** The text before the content, in the purchased format, as received (untrusted). */
  readonly header: string | null;
  /** The text after the content, in the purchased format, as received (untrusted). */
  readonly footer: string | null;
  readonly author: string | null;
  readonly description: string | null;
  readonly imageUrl: string | null;
  readonly modified: string | null;
  readonly published: string | null;
  readonly title: string | null;
  /**
   * SHA-256 in lower-case hex, of `licet-content-1\n`, and then of header, body and footer each `<bytes>:<text>\n`: the length in UTF-8
   * bytes and the text (nothing for null). The body is `html`, or `markdown` where `html` is null.
   */
  readonly contentHash: string;
  /** Why Markdown could not be derived from the HTML. Null when it was derived or not needed. */
  readonly conversionFailure: string | null;
}

/** Content on its way into the ledger: its body is text, or the UTF-8 bytes of it. */
export type SettledContent = Omit<ContentRecord, "markdown" | "html"> &
  Readonly<Record<"markdown" | "html", string | Uint8Array | null>>;

/**
 * A flaw of an answer whose content is stored all the same: a charge that is unreadable or not plausible (the quote is booked
 * then), or a license other than the ordered one. The ledger itself detects a charge above the quote.
 */
export interface AnswerFlaw {
  readonly kind: "charge_unreadable" | "license_mismatch";
  readonly detail: string;
}

export interface Settlement {
  readonly purchaseId: number;
  readonly now: number;
  /** When the request was sent that the content answers, epoch ms. Null or absent: not known. */
  readonly askedAt?: number | null;
  /** The charge that the gateway reported. Null when it reported none (then the quote counts) and for indexing. */
  readonly charge: Money | null;
  /** The fee on the charge, counted separately. */
  readonly feeMicros: Micros;
  readonly content: SettledContent;
  readonly requestId: string | null;
  readonly flaws: readonly AnswerFlaw[];
  /** True when the content is shorter than `content.minBytes`. It is stored and counted. */
  readonly isEmpty: boolean;
  /** Until when the license in the answer is valid, epoch ms. Null: it does not say, and what was quoted counts. @default null */
  readonly validUntilAt?: number | null;
}

export interface Settled {
  /**
   * `settled`: this call settled the purchase, even if it was in doubt or released and the content came from a second worker.
   * `repeated`: it was settled before, and nothing changed.
   */
  readonly outcome: "settled" | "repeated";
  /**
   * The flaw that stopped the site until its open item is closed: a charge above the quote, an unreadable
   * charge, another license. Null: no flaw.
   */
  readonly stopped: { readonly stop: SiteStop; readonly detail: string } | null;
}

/** What an invoice may name: purchases by their numbers, and pages by any of their spellings. */
export interface InvoicedQuery {
  readonly purchaseIds: readonly number[];
  readonly urls: readonly string[];
}

/** A purchase that a line of an invoice may account for. */
export interface InvoicedPurchase {
  readonly purchaseId: number;
  /** `released`: a person said that it was not charged. */
  readonly state: Exclude<PurchaseState, "reserved">;
  readonly url: string;
  /** The spelling that was sent to the gateway. */
  readonly wireUrl: string;
  /** The charge of a settled purchase, the quote of any other one. Without the fee. */
  readonly amount: Money;
  readonly feeMicros: Micros;
}

/** A purchase that a person has resolved. */
export interface ResolvedPurchase {
  readonly purchaseId: number;
  readonly url: string;
  readonly state: "settled" | "released";
  /** What it was charged, the fee included. Null: nothing. */
  readonly spentMicros: Micros | null;
  readonly currency: Currency | null;
  /**
   * True when the page is not bought again. Otherwise the next run that walks it buys it again, because its content never
   * arrived.
   */
  readonly keptOff: boolean;
}

/** Purchases and their content. */
export interface PurchaseLedger {
  /**
   * Says whether there is room to buy: `startPurchase` refuses without it. Writes nothing.
   * @throws LicetError DISK_FULL
   */
  checkRoom(): Promise<void>;
  /** Reads a leased acquire batch. Null when the lease is stale. */
  openAcquireBatch(leaseId: string): Promise<OpenedAcquireBatch | null>;
  /**
   * The reserved purchases whose tokens may be requested to distinguish a site that is not enabled from a site that forbids one
   * part.
   * @param query.part the address up to the end of the first path segment
   */
  findReserved(query: {
    readonly runId: string;
    readonly host: string;
    readonly part: string;
  }): Promise<ReservedElsewhere>;
  /**
   * `reserved → started` as a compare-and-set. It is durable before the chargeable request may be sent. False when the purchase
   * is no longer reserved or the lease is stale; the request must then not be sent.
   * @throws LicetError DISK_FULL even while a little disk space is left, so that started purchases can still be settled
   */
  startPurchase(start: {
    readonly leaseId: string;
    readonly purchaseId: number;
    readonly token: OneTimeToken;
    readonly now: number;
  }): Promise<boolean>;
  /**
   * For indexing only. Replaces the token of a *started* purchase. Nothing is charged, so a fresh token may be used. False when
   * the purchase is no longer started or the lease is stale.
   */
  renewIndexingToken(renewal: {
    readonly leaseId: string;
    readonly purchaseId: number;
    readonly token: OneTimeToken;
  }): Promise<boolean>;
  /**
   * Stores content, charge, use and balance in one transaction (promise 4). A flaw of the answer adds an open item and a lasting
   * stop of the site. Takes no lease, because content that has arrived is always accepted. Erases the token. Records the `fetch`
   * use when the decision requires it.
   */
  settlePurchase(settlement: Settlement): Promise<Settled>;
  /**
   * Stores the result of converting a settled page's HTML: Markdown, or the reason why there is none. Idempotent: the first
   * result stays.
   */
  recordMarkdown(derived: {
    readonly purchaseId: number;
    readonly markdown: string | null;
    readonly failure: string | null;
  }): Promise<boolean>;
  /**
   * Settled pages bought as `both` that have neither Markdown nor a reason, because the process crashed before. Uses an index.
   */
  listUnderived(
    limit: number,
  ): Promise<readonly { readonly purchaseId: number; readonly url: string; readonly html: string }[]>;
  /**
   * `reserved | started → released`. False when it was neither (idempotent). Erases the token. A release because a token is
   * missing (`token_refused`, `token_failed`) works only from `reserved`, because another worker may have started the purchase
   * with a token.
   */
  releasePurchase(release: {
    /** If set, the release happens only while this is the batch's newest lease. */
    readonly leaseId?: string;
    readonly purchaseId: number;
    readonly reason: Exclude<ReleaseReason, "token_unused">;
    readonly detail: string;
    readonly now: number;
  }): Promise<boolean>;
  /**
   * For a purchase whose token was certainly not used and cannot be used any more. Releases it (`token_unused`), and reserves the page
   * anew in the same write: in the same batch, at the same terms, with the same money. A new token then belongs to a new purchase
   * (promise 3), and no budget changes between the two.
   * @returns the new purchase. Null, and nothing is written: the purchase is not started any more, the lease is not its batch's newest, or
   * the site was stopped
   */
  reserveAnew(unused: {
    readonly leaseId: string;
    readonly purchaseId: number;
    readonly detail: string;
    readonly now: number;
  }): Promise<OpenPurchase | null>;
  /**
   * `started → in_doubt`. Erases the token. Also a purchase that was to cost nothing: released by itself, its page could be bought again at a
   * price. False when it was not started (idempotent).
   */
  holdInDoubt(doubt: {
    readonly purchaseId: number;
    readonly reason: DoubtReason;
    readonly detail: string;
    readonly now: number;
  }): Promise<boolean>;
  /**
   * Ends an acquire batch without reserved or started purchases. False when the lease is stale or such purchases are left; return
   * the batch instead.
   */
  finishAcquireBatch(leaseId: string): Promise<boolean>;
  /**
   * Resolves a purchase in doubt by a new resolution row: `charged` at the quoted price, or not charged. With `keepOff` its page
   * is never bought again (denial `kept_off`).
   * @throws LicetError PURCHASE_NOT_FOUND, PURCHASE_NOT_IN_DOUBT
   */
  resolvePurchase(resolution: {
    readonly purchaseId: number;
    readonly charged: boolean;
    /** @default false */
    readonly keepOff?: boolean;
    /** Who says so. Kept as an act. */
    readonly who?: ActedBy;
    readonly now: number;
  }): Promise<ResolvedPurchase>;
  /** The numbers of a run's purchases in doubt, after a number. An empty array means the end. */
  readDoubts(query: {
    readonly runId: string;
    readonly afterPurchaseId: number;
    readonly limit: number;
  }): Promise<readonly number[]>;
  /**
   * The purchases that an invoice may name, the oldest first: those that cost something and were charged, may have been charged, or
   * were not charged by a person's word. What the gateway refused is not among them.
   */
  readInvoiced(query: InvoicedQuery): Promise<readonly InvoicedPurchase[]>;
}
