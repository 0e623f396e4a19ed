/**
 * The gateway port: the requests of licet to a content-licensing gateway.
 *
 * There are two kinds of method:
 * - Repeatable methods (catalog, rates, tokens, history) retry automatically, with backoff and within the gateway's concurrency
 * and rate limits. They return the answer or throw a LicetError (GATEWAY_*).
 * - `fetchContent` and `reportUsage` send exactly one request per call and return every result as a value. Only the pipeline,
 * with the ledger, knows whether they may be sent again, and with what.
 */
import type { CatalogPage } from "../catalog/catalog-entry.ts";
import type { Money } from "../money/money.ts";
import type { OneTimeToken } from "../purchase/purchase.ts";
import type { KnownLicenseType, License } from "../rates/license.ts";
import type { RateListing } from "../rates/rate.ts";
import type { Receipt } from "../usage/receipt.ts";
import type { GatewayReach } from "./reach.ts";
import type { Call, Failure } from "./repeatable.ts";

/** The format that is requested from the gateway. A policy's `both` is `html` here; licet derives the Markdown. */
export type WireFormat = "markdown" | "html";

/** A request without a usable answer, which will be sent again. */
export interface GatewayRetry {
  readonly call: Call;
  readonly because: Failure;
  /** The HTTP status of the last answer. Null when none came, or when it is not known. */
  readonly status: number | null;
  /** The number of the next try. 2 is the first retry. */
  readonly attempt: number;
  /** The most tries. */
  readonly attempts: number;
  /** When the next try starts at the earliest, in ms from now. */
  readonly waitMs: number;
}

/** One page of a site's catalog. */
export interface CatalogRequest {
  readonly host: string;
  /** From the previous answer. Null for the first page. */
  readonly pageToken: string | null;
  readonly pageSize: number;
}

/** The terms of a content token. */
export interface ContentTokenRequest {
  readonly url: string;
  /** The quoted price, sent as the cap. The cap is never higher. */
  readonly maxPrice: Money;
  readonly licenseType: KnownLicenseType;
  readonly licenseCuid: string | null;
  readonly format: WireFormat;
}

/** The chargeable request. It may only be repeated with the same token. */
export interface ContentRequest {
  readonly url: string;
  readonly token: string;
  readonly format: WireFormat;
  /**
   * When the token expires, epoch ms. A request whose turn comes later is not sent (`unanswered`, `sent: false`). Null: it is sent
   * whenever its turn comes, because the gateway may know the token from an earlier attempt. @default null
   */
  readonly expiresAt?: number | null;
}

/** The body of a content answer. Every field may be missing. */
export interface ContentPayload {
  readonly header: string | null;
  readonly body: string;
  /** The body in UTF-8, which is not enumerable. Absent: not known. */
  readonly bodyBytes?: Uint8Array;
  readonly footer: string | null;
  readonly metadata: {
    readonly author: string | null;
    readonly description: string | null;
    readonly imageUrl: string | null;
    readonly modified: string | null;
    readonly published: string | null;
    readonly title: string | null;
  };
  /** The charge. Null when the gateway left it out; then the quoted price counts. */
  readonly rate: { readonly price: Money; readonly license: License | null } | null;
  /**
   * Why a rate in the answer could not be read. `rate` is then null. Paid content is stored all the same, but the charge is not
   * known for certain. Absent or null: the rate was read, or there was none.
   */
  readonly rateUnreadable?: string | null;
  /** The license that the answer names with its rate, even when the price could not be read or is missing. */
  readonly license?: License | null;
  /** `license.validUntil` of the answer, epoch ms. Absent or null: the answer does not say. */
  readonly validUntilAt?: number | null;
}

/** The hint for a redirect. licet follows none, because key and token would be sent to the new address. */
export const REDIRECT_HINT = "Set gateway.baseUrl to the address that answers without a redirect.";

/**
 * The result of a content request.
 * - `content`: a validated body has arrived.
 * - `refused`: a definite refusal with its status (4xx except 401, 408 and 429, and redirects, which come from another server in
 * front). After a first attempt nothing was charged.
 * - `unauthorized`: 401. After a first attempt it is a definite refusal. After an attempt without an answer, the token was
 * probably used up.
 * - `rate_limited`: 429. The request was not served. The same token may be sent again after `retryAfterMs`.
 * - `unanswered`: no usable answer (no connection, reset, timeout, 408, 5xx, a 200 whose body does not validate, a body above the
 * size limit). The page may have been charged. `sent` is false only when it is certain that not one byte reached the gateway
 * (connection refused, DNS, or `expired`: the token expired before the request's turn came).
 */
export type ContentAnswer =
  | {
      readonly kind: "content";
      readonly content: ContentPayload;
      readonly requestId: string | null;
      /** How long ago its request was sent, ms: the content shows no later change of the page. Absent: not known. */
      readonly tookMs?: number;
    }
  | { readonly kind: "refused"; readonly status: number; readonly detail: string; readonly requestId: string | null }
  | {
      readonly kind: "unauthorized";
      readonly detail: string;
      readonly requestId: string | null;
      /** How long the request waited for its turn, ms. The token may have expired meanwhile. Absent: not known. */
      readonly waitedMs?: number;
    }
  | { readonly kind: "rate_limited"; readonly retryAfterMs: number | null }
  | {
      readonly kind: "unanswered";
      readonly reason: "no_connection" | "reset" | "timeout" | "server_error" | "bad_body" | "too_large" | "expired";
      readonly sent: boolean;
      readonly detail: string;
      /** The HTTP status, for people. Absent when none came. */
      readonly status?: number;
    };

/**
 * The result of a report.
 * - `accepted`: the gateway answered 2xx with receipts. `unreadable` counts entries that are not valid transaction results.
 * - `rejected`: a definite 4xx (400, 404, 405, 409, 410, 413, 415, 422 and so on). The gateway will never accept this body
 * unchanged.
 * - `unauthorized`: 401 or 403. The report itself has no flaw. Reporting stops with one clear error.
 * - `unanswered`: timeout, reset, 5xx, 408, 429, or a 2xx that cannot be read. The same bytes are sent again later.
 */
export type ReportAnswer =
  | { readonly kind: "accepted"; readonly receipts: readonly Receipt[]; readonly unreadable: number }
  | { readonly kind: "rejected"; readonly status: number; readonly detail: string }
  | { readonly kind: "unauthorized"; readonly status: number; readonly detail: string }
  | {
      readonly kind: "unanswered";
      readonly detail: string;
      readonly retryAfterMs: number | null;
      /**
       * False when it is certain that the report was not accepted: it was never sent, or the answer was "not now" or "not here".
       */
      readonly mayBeTaken: boolean;
    };

/** One webhook delivery, as the gateway records it. */
export interface DeliveryRecord {
  readonly subscriptionId: string | null;
  readonly contentUrl: string | null;
  readonly deliveryUrl: string | null;
  readonly eventType: string | null;
  readonly lastAttempt: string | null;
  readonly lastStatus: number | null;
  readonly numAttempts: number | null;
}

/** The delivery records to return. */
export interface HistoryRequest {
  readonly nextToken: string | null;
  /** 1 to 1000. */
  readonly size: number;
  readonly daysAgo: number | null;
}

/** One page of webhook delivery records. `nextToken` is null on the last page. */
export interface HistoryPage {
  readonly items: readonly DeliveryRecord[];
  readonly nextToken: string | null;
}

/** What may start at a gateway: the whole of what the configuration allows, or the share of one process. */
export interface RequestShare {
  /** Requests in flight at once. 0: none. */
  readonly concurrency: number;
  /** Null: no limit. */
  readonly requestsPerSecond: number | null;
  /** Requests that may start at the same moment, 1 or more, after a time with fewer of them. */
  readonly burst: number;
}

/** The limits of a client while it works. A process that shares the gateway with others is dealt its share of them. */
export interface RequestLimits {
  /** Requests in flight, and those that were given up a moment ago: the gateway may not have heard of it. */
  readonly inFlight: number;
  /**
   * From now on. A smaller share ends no request: `inFlight` falls to it.
   * @param untilMs when it ends, by the clock for durations. Nothing starts from then on, also in a process that was suspended meanwhile.
   * @default never
   */
  setShare(share: RequestShare, untilMs?: number): void;
  /** Starts nothing for so long: another process was asked for it (429). Returns false for a rest that is known already. */
  rest(ms: number): boolean;
  /** How long nothing starts because the gateway asked for a rest, ms. 0: it may. */
  pauseMs(): number;
  /** Called when the gateway asks this process for a rest. Returns a function that ends the calls. */
  onRest(listener: () => void): () => void;
}

/** The port to the gateway: the seven endpoints of the specification, typed. */
export interface Gateway {
  /** One page of the catalog of a site. Repeatable. */
  listCatalog(request: CatalogRequest, signal?: AbortSignal): Promise<CatalogPage>;
  /**
   * The rates of many pages. Repeatable. The keys of the result are the requested URLs, exactly as passed in. A URL that the
   * gateway left out is absent. The gateway may answer in any order, with repeats.
   * @throws LicetError GATEWAY_REFUSED on 400 and 413; the caller then halves the batch.
   */
  quoteBatch(urls: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, RateListing>>;
  /** The rates of one page. Repeatable. */
  quotePage(url: string, signal?: AbortSignal): Promise<RateListing>;
  /** A token for one paid fetch. Repeatable, because an unused token costs nothing. */
  issueContentToken(request: ContentTokenRequest, signal?: AbortSignal): Promise<OneTimeToken>;
  /** A token for one free fetch, for indexing. Repeatable. */
  issueIndexingToken(url: string, signal?: AbortSignal): Promise<OneTimeToken>;
  /**
   * The content of a page; the token says whether it is paid or for indexing. The request is sent once and never repeated here. No network failure
   * makes it throw.
   */
  fetchContent(request: ContentRequest, signal?: AbortSignal): Promise<ContentAnswer>;
  /**
   * The usage report. Sends exactly these bytes, once. No network failure makes it throw.
   * @param body the frozen JSON `{idempotencyId, usage}`
   */
  reportUsage(body: Uint8Array, signal?: AbortSignal): Promise<ReportAnswer>;
  /** One page of the webhook delivery records. Repeatable. */
  listHistory(request: HistoryRequest, signal?: AbortSignal): Promise<HistoryPage>;
  /**
   * The limits that requests keep, which a process that shares the gateway with others changes.
   * @internal
   */
  readonly limits: RequestLimits;
  /** What the `Date` of recent answers says of the present, epoch ms. Null: none had one. */
  dateAt(): number | null;
  /**
   * Asks for the `Date`, by one request that costs nothing and that no proxy answers from its cache. Never throws, and takes some seconds at most.
   * @param pageUrl a page of a configured site; it need not exist
   * @returns as `dateAt`, after the answer
   */
  askDate(pageUrl: string): Promise<number | null>;
  /**
   * Whether the server answers: one request within the limits, without key or token. Never throws, and waits a second at most for its turn.
   * @returns null when nothing was asked: all that may be in flight is, or the gateway has asked for a rest
   * @internal
   */
  reach(signal: AbortSignal): Promise<GatewayReach | null>;
  /** Closes the connections. Requests in flight are aborted. */
  close(): Promise<void>;
}
