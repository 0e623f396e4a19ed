/**
 * The gateway port: what licet asks of a content-licensing gateway (gateway-spec § Endpoints, gateway-notes).
 *
 * Two kinds of method:
 * - repeatable ones (catalog, rates, tokens, history) retry by themselves, with backoff and under the gateway's
 *   concurrency and rate limits, and in the end return the answer or throw a LicetError (GATEWAY_*);
 * - `fetchContent` and `reportUsage` are sent exactly once per call and return every end as a value, because only the
 *   pipeline, with the ledger, knows whether and with what they may be sent again (gateway-notes § What may be repeated).
 */
import type { CatalogPage } from "../catalog/catalog-entry.ts";
import type { Money } from "../money/money.ts";
import type { OneTimeToken } from "../purchase/purchase.ts";
import type { License, LicenseType } from "../rates/license.ts";
import type { RateListing } from "../rates/rate.ts";
import type { Receipt } from "../usage/receipt.ts";

/** The format asked of the gateway; `both` of a policy is `html` here, with Markdown derived locally. */
export type WireFormat = "markdown" | "html";

/** One page of a site's catalog. */
export interface CatalogRequest {
  readonly host: string;
  /** From the previous answer; null for the first page. */
  readonly pageToken: string | null;
  readonly pageSize: number;
}

/** What a content token is asked for. */
export interface ContentTokenRequest {
  readonly url: string;
  /** The quoted price, sent as the cap: never a looser one (gateway-notes § Tokens interface). */
  readonly maxPrice: Money;
  readonly licenseType: LicenseType;
  readonly licenseCuid: string | null;
  readonly format: WireFormat;
}

/** The chargeable request: it may only be repeated with the same token. */
export interface ContentRequest {
  readonly url: string;
  readonly token: string;
  readonly format: WireFormat;
}

/** The body of a content answer (gateway-spec § Content response). Every field may be missing. */
export interface ContentPayload {
  readonly header: string | null;
  readonly body: string;
  readonly footer: string | null;
  readonly metadata: {
    readonly author: string | null;
    readonly description: string | null;
    readonly imageUrl: string | null;
    readonly modified: string | null;
    readonly published: string | null;
    readonly title: string | null;
  };
  /** What was charged; null when the gateway left it out (then the quoted price counts). */
  readonly rate: { readonly price: Money; readonly license: License | null } | null;
  /**
   * Why a rate that did come could not be read; `rate` is null then. Paid content is never thrown away for it, but the
   * charge is not known for certain. Absent or null: there was nothing to read, or it was read.
   */
  readonly rateUnreadable?: string | null;
  /** The licence that the answer names with its rate, also where the price of it could not be read or was left out. */
  readonly license?: License | null;
}

/** What to do about a redirect, whatever was asked: licet follows none, since key and token would go with it. */
export const REDIRECT_HINT = "Set gateway.baseUrl to the address that answers without a redirect.";

/**
 * How a content request ended.
 * - `content`: a validated body is in hand.
 * - `refused`: a definite no with its status (4xx but 401, 408 and 429, and redirects, which are answers of something in front): on
 *   a first attempt nothing was charged.
 * - `unauthorized`: 401. On a first attempt a definite no; after an unanswered one, the token was probably used up.
 * - `rate_limited`: 429: not served; the same token may be sent again after `retryAfterMs`.
 * - `unanswered`: no usable answer (no connection, reset, timeout, 408, 5xx, a 200 whose body does not validate, a body
 *   over the size cap): it may have been charged. `sent` is false only when it is certain that not one byte
 *   reached the gateway (connection refused, DNS).
 */
export type ContentAnswer =
  | { readonly kind: "content"; readonly content: ContentPayload; readonly requestId: string | null }
  | { readonly kind: "refused"; readonly status: number; readonly detail: string; readonly requestId: string | null }
  | { readonly kind: "unauthorized"; readonly detail: string; readonly requestId: string | null }
  | { readonly kind: "rate_limited"; readonly retryAfterMs: number | null }
  | {
      readonly kind: "unanswered";
      readonly reason: "no_connection" | "reset" | "timeout" | "server_error" | "bad_body" | "too_large";
      readonly sent: boolean;
      readonly detail: string;
    };

/**
 * How a report ended.
 * - `accepted`: the gateway answered 2xx with receipts. `unreadable` counts entries that are not valid transaction results.
 * - `rejected`: a definite 4xx (400, 404, 405, 409, 410, 413, 415, 422 …): this body will never be taken as it is.
 * - `unauthorized`: 401 or 403: nothing is wrong with the batch; reporting stops with one clear error.
 * - `unanswered`: timeout, reset, 5xx, 408, 429, or a 2xx that cannot be read: send the same bytes again later.
 */
export type ReportAnswer =
  | { readonly kind: "accepted"; readonly receipts: readonly Receipt[]; readonly unreadable: number }
  | { readonly kind: "rejected"; readonly status: number; readonly detail: string }
  | { readonly kind: "unauthorized"; readonly status: number; readonly detail: string }
  | {
      readonly kind: "unanswered";
      readonly detail: string;
      readonly retryAfterMs: number | null;
      /** False when it is certain that the report was not taken: it was never sent, or it was answered "not now" or "not here". */
      readonly mayBeTaken: boolean;
    };

/** gateway-spec § Webhook delivery record. */
export interface DeliveryRecord {
  readonly subscriptionId: string | null;
  readonly contentUrl: string | null;
  readonly deliveryUrl: string | null;
  readonly eventType: string | null;
  readonly lastAttempt: string | null;
  readonly lastStatus: number | null;
  readonly numAttempts: number | null;
}

/** Which delivery records are asked for. */
export interface HistoryRequest {
  readonly nextToken: string | null;
  /** 1 to 1000 (gateway-spec § Limits). */
  readonly size: number;
  readonly daysAgo: number | null;
}

/** One page of webhook delivery records; `nextToken` is null on the last one. */
export interface HistoryPage {
  readonly items: readonly DeliveryRecord[];
  readonly nextToken: string | null;
}

/** The port to the gateway: the seven endpoints of the specification, typed. */
export interface Gateway {
  /** gateway-spec § Endpoints 4. Repeatable. */
  listCatalog(request: CatalogRequest, signal?: AbortSignal): Promise<CatalogPage>;
  /**
   * gateway-spec § Endpoints 6. Repeatable. The result has the asked URLs as keys, exactly as passed in; a URL the gateway
   * left out is absent. The answer may come in any order, with repeats.
   * @throws LicetError GATEWAY_REFUSED on 400 and 413: the caller halves the batch.
   */
  quoteBatch(urls: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, RateListing>>;
  /** gateway-spec § Endpoints 5. Repeatable. */
  quotePage(url: string, signal?: AbortSignal): Promise<RateListing>;
  /** gateway-notes § Tokens interface. Repeatable: an unused token costs nothing. */
  issueContentToken(request: ContentTokenRequest, signal?: AbortSignal): Promise<OneTimeToken>;
  /** gateway-notes § Tokens interface. Repeatable. */
  issueIndexingToken(url: string, signal?: AbortSignal): Promise<OneTimeToken>;
  /**
   * gateway-spec § Endpoints 1 and 2, by the token's kind. Sent once, never repeated here. Does not throw for anything
   * the network can do.
   */
  fetchContent(request: ContentRequest, signal?: AbortSignal): Promise<ContentAnswer>;
  /**
   * gateway-spec § Endpoints 3. Sends exactly these bytes, once. Does not throw for anything the network can do.
   * @param body the frozen JSON `{idempotencyId, usage}`
   */
  reportUsage(body: Uint8Array, signal?: AbortSignal): Promise<ReportAnswer>;
  /** gateway-spec § Endpoints 7. Repeatable. */
  listHistory(request: HistoryRequest, signal?: AbortSignal): Promise<HistoryPage>;
  /** Closes the connections; requests under way are aborted. */
  close(): Promise<void>;
}
