/**
 * The gateway over HTTP. Each method builds one request (endpoints/), sends it (request-sender.ts) and reads the answer. repeatable.ts
 * decides what is sent again, and how often.
 *
 * The API key is sent only to the configured origin, and never with a content request, which has its token instead.
 */

import type { CatalogPage } from "../catalog/catalog-entry.ts";
import { toPathParameter } from "../catalog/page-url.ts";
import type { OneTimeToken } from "../purchase/purchase.ts";
import type { RateListing } from "../rates/rate.ts";
import { elapsedMs } from "../time/clock.ts";
import { inTime } from "../time/in-time.ts";
import {
  type CatalogQuery,
  type ContentQuery,
  type ContentTokenQuery,
  checkSignal,
  checkUrl,
  checkUrls,
  type HistoryQuery,
  toCatalogRequest,
  toContentRequest,
  toContentTokenRequest,
  toHistoryRequest,
  toReportBody,
  type UsageReportQuery,
} from "./client-calls.ts";
import { type GatewayClientOptions, type ResolvedClientOptions, resolveClientOptions } from "./client-options.ts";
import { catalogPath, readCatalogPage } from "./endpoints/catalog-list.ts";
import { MIME_TYPES } from "./endpoints/content.ts";
import { readRatesBatch, writeRatesBatch } from "./endpoints/rates-batch.ts";
import { readPageRates } from "./endpoints/rates-page.ts";
import { writeContentTokenRequest } from "./endpoints/token-content.ts";
import { writeIndexingTokenRequest } from "./endpoints/token-indexing.ts";
import { readToken } from "./endpoints/token-issue.ts";
import { historyPath, readHistoryPage } from "./endpoints/webhook-history.ts";
import type { WireRequest } from "./exchange.ts";
import type { ContentAnswer, Gateway, HistoryPage, ReportAnswer, RequestLimits } from "./gateway.ts";
import { toContentAnswer, toReportAnswer } from "./once-answer.ts";
import { type GatewayReach, toReach } from "./reach.ts";
import { RequestSender } from "./request-sender.ts";
import type { GatewayProfile } from "./service-names.ts";
import { Transport, type Wire } from "./transport.ts";

/** Somebody waits for what is asked this way. */
const ASK_DATE_MS = 5_000;
/** A request that asks whether the gateway answers waits for its turn for so long. */
const REACH_TURN_MS = 1_000;

/** The gateway over HTTP, usable on its own: every endpoint of the specification, limits, retries, validated answers. */
export class GatewayClient implements Gateway {
  /** The names and paths in use. */
  readonly profile: GatewayProfile;
  readonly #options: ResolvedClientOptions;
  readonly #sender: RequestSender;
  readonly #secrets: readonly string[];

  /**
   * Opens no connection.
   * @throws LicetError CONFIG_INVALID, USAGE_INVALID for wrong names and types
   */
  constructor(options: GatewayClientOptions);
  /**
   * For simulations, which have no network.
   * @internal
   * @param wire carries the requests. @default HTTP to the origin of `baseUrl`
   */
  constructor(options: GatewayClientOptions, wire: Wire);
  constructor(options: GatewayClientOptions, wire?: Wire) {
    const resolved = resolveClientOptions(options);
    this.#options = resolved;
    this.profile = resolved.profile;
    this.#secrets = [resolved.apiKey];
    this.#sender = new RequestSender(resolved, wire ?? new Transport(resolved));
  }

  /**
   * One page of the catalog of a site. The next page: `pageToken: page.nextPageToken`, until that is null.
   * Repeatable.
   * @throws LicetError GATEWAY_*; USAGE_INVALID, INPUT_INVALID for wrong arguments
   */
  async listCatalog(query: CatalogQuery, signal?: AbortSignal): Promise<CatalogPage> {
    const request = toCatalogRequest(query);
    const path = catalogPath(this.profile, request);
    return await this.#sender.ask("catalog", this.#get(path), readCatalogPage, { host: request.host }, signal);
  }

  /**
   * The rates of many pages, by the URLs as they were passed in. A URL that the gateway left out is absent.
   * Repeatable.
   * @throws LicetError GATEWAY_*; GATEWAY_REFUSED on 400 and 413: ask for fewer pages at once
   */
  async quoteBatch(urls: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, RateListing>> {
    checkUrls(urls);
    if (urls.length === 0) {
      return new Map();
    }
    const request = this.#post(this.profile.paths.rateBatch.before, writeRatesBatch(urls));
    const read = (json: unknown) => readRatesBatch(json, urls);
    return await this.#sender.ask("rate_batch", request, read, { urls: urls.length }, signal);
  }

  /** The rates of one page. Repeatable. @throws LicetError GATEWAY_*, USAGE_INVALID */
  async quotePage(url: string, signal?: AbortSignal): Promise<RateListing> {
    const { before, after } = this.profile.paths.rate;
    const path = before + toPathParameter(checkUrl("quotePage", url)) + after;
    return await this.#sender.ask("rate", this.#get(path), readPageRates, { url }, signal);
  }

  /**
   * A token that buys one page once, for the price of the query at most. An unused token costs nothing. Repeatable.
   * @throws LicetError GATEWAY_*; USAGE_INVALID, MONEY_INVALID; INPUT_INVALID for a license type that cannot be ordered
   */
  async issueContentToken(query: ContentTokenQuery, signal?: AbortSignal): Promise<OneTimeToken> {
    const request = toContentTokenRequest(query);
    const body = writeContentTokenRequest(request, this.#options.userAgent);
    const wire = this.#post(this.profile.paths.contentToken.before, body);
    return await this.#sender.ask("content_token", wire, this.#readToken, { url: request.url }, signal);
  }

  /** A token that fetches one page for an index. Repeatable. @throws LicetError GATEWAY_*, USAGE_INVALID */
  async issueIndexingToken(url: string, signal?: AbortSignal): Promise<OneTimeToken> {
    const body = writeIndexingTokenRequest(checkUrl("issueIndexingToken", url), this.#options.userAgent);
    const wire = this.#post(this.profile.paths.indexingToken.before, body);
    return await this.#sender.ask("indexing_token", wire, this.#readToken, { url }, signal);
  }

  /**
   * Buys the page of a token: the chargeable request, sent once. Every answer is a value, and no
   * network failure makes the call throw. After `unanswered` with `sent`, the page may have been charged: only the same token may be
   * sent again.
   * @throws LicetError USAGE_INVALID for wrong arguments
   */
  async fetchContent(query: ContentQuery, signal?: AbortSignal): Promise<ContentAnswer> {
    const request = toContentRequest(query);
    checkSignal("content", signal);
    const { headers, tokenPrefix, paths } = this.profile;
    const { clock } = this.#options;
    const askedAt = elapsedMs(clock);
    let sentAt = askedAt;
    const answer = await this.#sender.send(
      {
        method: "GET",
        path: this.#options.basePath + paths.content.before + toPathParameter(request.url) + paths.content.after,
        headers: [
          "user-agent",
          this.#options.userAgent,
          headers.token,
          tokenPrefix + request.token,
          headers.acceptContent,
          MIME_TYPES[request.format],
        ],
        body: null,
      },
      {
        call: "content",
        requestClass: "content",
        expiresAt: request.expiresAt,
        secrets: [request.token],
        onSend: () => (sentAt = elapsedMs(clock)),
      },
      signal,
    );
    const read = toContentAnswer(answer, [this.#options.apiKey, request.token], clock.now);
    switch (read.kind) {
      case "content":
        return { ...read, tookMs: Math.ceil(elapsedMs(clock) - sentAt) };
      case "unauthorized":
        return { ...read, waitedMs: Math.floor(sentAt - askedAt) };
      default:
        return read;
    }
  }

  /**
   * Reports uses, once. Every answer is a value, and no network failure makes the call throw. After
   * `unanswered`, send the same report again: an equal report has equal bytes.
   * @param report the uses, or the frozen bytes of `{idempotencyId, usage}`
   * @throws LicetError USAGE_INVALID for wrong arguments
   */
  async reportUsage(report: Uint8Array | UsageReportQuery, signal?: AbortSignal): Promise<ReportAnswer> {
    checkSignal("self_report", signal);
    const { paths, licenseIdField } = this.profile;
    const request = this.#post(paths.selfReport.before, toReportBody(report, licenseIdField));
    const { reportAgent } = this.profile.headers;
    if (reportAgent.toLowerCase() !== "user-agent") {
      request.headers.push(reportAgent, this.#options.userAgent);
    }
    const answer = await this.#sender.send(request, { call: "self_report" }, signal);
    return toReportAnswer(answer, this.#secrets, this.#options.clock.now);
  }

  /** The gateway's webhook delivery records. Repeatable. @throws LicetError GATEWAY_*, USAGE_INVALID, INPUT_INVALID */
  async listHistory(query: HistoryQuery = {}, signal?: AbortSignal): Promise<HistoryPage> {
    const path = historyPath(this.profile, toHistoryRequest(query));
    return await this.#sender.ask("history", this.#get(path), readHistoryPage, {}, signal);
  }

  /**
   * The limits that requests keep, which a process that shares the gateway with others changes.
   * @internal
   */
  get limits(): RequestLimits {
    return this.#sender.limits;
  }

  /** What the `Date` of recent answers says of the present, epoch ms. Null: none had one. */
  dateAt(): number | null {
    return this.#sender.dateAt();
  }

  /**
   * Asks for the `Date`: with the rates of a page, because they cost nothing, and no proxy caches the answer to a POST. Never throws, and takes
   * some seconds at most.
   * @param pageUrl a page of a site that the gateway sells; it need not exist
   * @returns what `dateAt` says afterwards
   */
  async askDate(pageUrl: string): Promise<number | null> {
    const request = this.#post(this.profile.paths.rateBatch.before, writeRatesBatch([pageUrl]));
    await inTime(this.#options.clock, ASK_DATE_MS, (late) => this.#sender.send(request, { call: "date" }, late));
    return this.dateAt();
  }

  /**
   * Whether the server answers: one request within the limits, without key or token. It costs nothing, and counts for no account. Never throws. What
   * gets no turn within a second is not sent: requests that are under way will tell.
   * @returns null when nothing was asked
   * @internal
   */
  async reach(signal: AbortSignal): Promise<GatewayReach | null> {
    const { basePath, userAgent, clock } = this.#options;
    const [asked, late] = [new AbortController(), new AbortController()];
    let isSent = false;
    void clock.sleep(REACH_TURN_MS, asked.signal).then(() => isSent || late.abort());
    const answer = await this.#sender.send(
      { method: "GET", path: basePath === "" ? "/" : basePath, headers: ["user-agent", userAgent], body: null },
      { call: null, onSend: () => (isSent = true) },
      AbortSignal.any([signal, late.signal]),
    );
    asked.abort();
    return isSent ? toReach(answer) : null;
  }

  /** Closes the connections. Requests in flight are aborted. */
  close(): Promise<void> {
    return this.#sender.close();
  }

  readonly #readToken = (json: unknown) => readToken(json, this.#options.clock.now());

  #get(path: string): WireRequest {
    const { basePath, userAgent, apiKey } = this.#options;
    const headers = ["user-agent", userAgent, this.profile.headers.key, apiKey];
    return { method: "GET", path: basePath + path, headers, body: null };
  }

  #post(path: string, body: Uint8Array): WireRequest {
    const { basePath, userAgent, apiKey } = this.#options;
    const headers = ["user-agent", userAgent, this.profile.headers.key, apiKey, "content-type", "application/json"];
    return { method: "POST", path: basePath + path, headers, body };
  }
}
