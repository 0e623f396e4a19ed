import type { CatalogEntry, CatalogPage } from "../../src/catalog/catalog-entry.ts";
import { type ErrorCode, LicetError } from "../../src/errors.ts";
import type {
  CatalogRequest,
  ContentAnswer,
  ContentPayload,
  ContentRequest,
  ContentTokenRequest,
  Gateway,
  ReportAnswer,
} from "../../src/gateway/gateway.ts";
import { toMicros } from "../../src/money/micros.ts";
import type { Money } from "../../src/money/money.ts";
import type { OneTimeToken } from "../../src/purchase/purchase.ts";
import type { License } from "../../src/rates/license.ts";
import type { RateListing } from "../../src/rates/rate.ts";

/** What a scripted method gives: a value, or a throw (also of a promise). `call` counts from 1. */
type Script<Request, Answer> = (request: Request, call: number) => Answer | Promise<Answer>;

/** A gateway's part, method by method; what is left out behaves well. */
export interface GatewayScript {
  listCatalog?: Script<CatalogRequest, CatalogPage>;
  quoteBatch?: Script<readonly string[], ReadonlyMap<string, RateListing>>;
  quotePage?: Script<string, RateListing>;
  issueContentToken?: Script<ContentTokenRequest, OneTimeToken>;
  issueIndexingToken?: Script<string, OneTimeToken>;
  fetchContent?: Script<ContentRequest, ContentAnswer>;
  reportUsage?: Script<Uint8Array, ReportAnswer>;
}

export interface RecordedCall {
  readonly method: keyof GatewayScript;
  readonly request: unknown;
}

export interface ScriptedGateway extends Gateway {
  readonly script: GatewayScript;
  readonly calls: readonly RecordedCall[];
  /** The requests of one method, in order. */
  requests<Method extends keyof GatewayScript>(
    method: Method,
  ): readonly Parameters<NonNullable<GatewayScript[Method]>>[0][];
  /** Calls that have not been answered yet. */
  readonly pending: number;
}

export const LICENSE: License = {
  licenseType: "ON_DEMAND_LICENSE",
  cuid: "lic-1",
  licensePath: null,
  permissions: ["PARTIAL_USE"],
};
export const PRICE: Money = { micros: toMicros(1_000), currency: "USD" };
export const TOKEN_LIFE_MS = 300_000;

/** A gateway at the level of the port: it gives the configured answers and records the requests. */
export function createScriptedGateway(now: () => number, script: GatewayScript = {}): ScriptedGateway {
  const calls: RecordedCall[] = [];
  let pending = 0;
  let tokens = 0;
  const nextToken = (): OneTimeToken => ({ token: `token-${++tokens}`, expiresAt: now() + TOKEN_LIFE_MS });

  const call = async <Request, Answer>(
    method: keyof GatewayScript,
    request: Request,
    answer: Script<Request, Answer>,
    signal?: AbortSignal,
  ): Promise<Answer> => {
    if (signal?.aborted) {
      throw new LicetError("INTERRUPTED", `${method}: the call was stopped from this side`);
    }
    calls.push({ method, request });
    const count = calls.filter((made) => made.method === method).length;
    pending++;
    try {
      return await answer(request, count);
    } finally {
      pending--;
    }
  };

  return {
    script,
    calls,
    requests: (method) => calls.filter((made) => made.method === method).map(({ request }) => request) as never,
    get pending() {
      return pending;
    },
    listCatalog: (request, signal) =>
      call("listCatalog", request, script.listCatalog ?? (() => catalogPage([])), signal),
    quoteBatch: (urls, signal) => call("quoteBatch", urls, script.quoteBatch ?? ((asked) => listAll(asked)), signal),
    quotePage: (url, signal) => call("quotePage", url, script.quotePage ?? (() => listing()), signal),
    issueContentToken: (request, signal) =>
      call("issueContentToken", request, script.issueContentToken ?? nextToken, signal),
    issueIndexingToken: (url, signal) =>
      call("issueIndexingToken", url, script.issueIndexingToken ?? nextToken, signal),
    fetchContent: (request, signal) =>
      call("fetchContent", request, script.fetchContent ?? (() => contentAnswer()), signal),
    reportUsage: (body, signal) => call("reportUsage", body, script.reportUsage ?? acceptReport, signal),
    listHistory: async () => ({ items: [], nextToken: null }),
    limits: { inFlight: 0, setShare: () => {}, rest: () => false, pauseMs: () => 0, onRest: () => () => {} },
    dateAt: () => null,
    askDate: async () => null,
    reach: async () => ({ ok: true, detail: "scripted" }),
    close: async () => {},
  };
}

export function gatewayError(code: ErrorCode): LicetError {
  return new LicetError(code, `scripted ${code}`);
}

export function catalogPage(
  entries: readonly (string | Partial<CatalogEntry>)[],
  rest: Partial<Pick<CatalogPage, "unreadable" | "nextPageToken">> = {},
): CatalogPage {
  return {
    entries: entries.map((entry) => ({
      pageUrl: "",
      lastMod: null,
      propertyId: null,
      ...(typeof entry === "string" ? { pageUrl: entry } : entry),
    })),
    unreadable: 0,
    nextPageToken: null,
    ...rest,
  };
}

export function listing(price: Money = PRICE, license: License = LICENSE): RateListing {
  return { rates: [{ license, price, error: null, validUntilAt: null }], unreadable: [] };
}

export function listAll(urls: readonly string[], price: Money = PRICE): ReadonlyMap<string, RateListing> {
  return new Map(urls.map((url) => [url, listing(price)]));
}

export function contentAnswer(
  content: Partial<ContentPayload> = {},
): Extract<ContentAnswer, { readonly kind: "content" }> {
  return {
    kind: "content",
    requestId: null,
    content: {
      header: null,
      body: "the article",
      footer: null,
      metadata: { author: null, description: null, imageUrl: null, modified: null, published: null, title: null },
      rate: { price: PRICE, license: LICENSE },
      ...content,
    },
  };
}

export const REFUSED = (status: number): ContentAnswer => ({
  kind: "refused",
  status,
  detail: "no",
  requestId: null,
});
export const UNAUTHORIZED: ContentAnswer = { kind: "unauthorized", detail: "the token is not valid", requestId: null };
export const SILENCE: ContentAnswer = { kind: "unanswered", reason: "timeout", sent: true, detail: "timed out" };
export const NEVER_SENT: ContentAnswer = {
  kind: "unanswered",
  reason: "no_connection",
  sent: false,
  detail: "connection refused",
};
export const LIMITED = (retryAfterMs: number | null): ContentAnswer => ({ kind: "rate_limited", retryAfterMs });

interface WireEntry {
  readonly url: string;
  readonly timesUsed: number;
  readonly licenseType: string;
  readonly licenseCuid?: string;
}

export function readReport(body: Uint8Array): { idempotencyId: string; usage: readonly WireEntry[] } {
  return JSON.parse(new TextDecoder().decode(body));
}

/** Takes the report: a receipt for each entry at the scripted price. */
export function acceptReport(body: Uint8Array): ReportAnswer {
  return {
    kind: "accepted",
    unreadable: 0,
    receipts: readReport(body).usage.map(({ url, timesUsed, licenseType, licenseCuid }) => ({
      url,
      licenseType,
      licenseCuid: licenseCuid ?? null,
      currency: PRICE.currency,
      perUnitPriceMicros: PRICE.micros,
      totalUsePriceMicros: toMicros(PRICE.micros * timesUsed),
    })),
  };
}
