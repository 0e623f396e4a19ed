/**
 * The gateway of the simulated world, with books of its own: a synchronous state machine at the level of HTTP requests. It shares no
 * code with licet, does no I/O, and knows no time and no chance but what it is given.
 */
import type { ScenarioSite } from "../scenario.ts";
import type { ContentRequestRecord, GatewayAccount, ReceivedReport } from "./account.ts";
import { jsonAnswer, problem } from "./answers.ts";
import { type Arrival, decode, decodeUrl, Protest, readArrival, requireNoQueryBut, requireWhole } from "./arrival.ts";
import { type CatalogMark, getRates, getRatesOfMany, listCatalog } from "./listings.ts";
import { changePrice, type Page, type Published, publishPage, publishSites, touchPage } from "./published.ts";
import { type AcceptedReports, type ReportDraft, takeReport } from "./reports.ts";
import { type Format, issueContentToken, issueIndexingToken, type SalesBooks, sellContent } from "./sales.ts";

/** What arrives: as written to the wire by the real client (method, path with query, header names and values in turn, body). */
export interface ArrivedRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: Uint8Array | null;
}

export interface ModelAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ModelGatewayOptions {
  readonly sites: readonly ScenarioSite[];
  readonly apiKey: string;
  readonly agentId: string;
  /** `Service`, or another name: header names and the self-report path follow it (gateway-notes § Names). */
  readonly service: string;
  readonly tokenLifeMs: number;
  /** Entries of a catalog page at most, whatever is asked for. */
  readonly maxPageSize: number;
  /** A bulk rate request with more URLs is answered 413. */
  readonly maxBatchUrls: number;
  readonly reportShape: "array" | "receipts";
  /** Leaves `rate` out of content answers: then the quote counts as charged, and the model charges exactly the rate. */
  readonly omitsRate: boolean;
  /** Bulk rates come shuffled and with repeats. 0 ≤ x < 1 */
  readonly random: () => number;
  readonly startAt: number;
}

export interface ModelGateway {
  readonly account: GatewayAccount;
  /** A synchronous state machine: never throws, whatever arrives. */
  handle(request: ArrivedRequest, now: number): ModelAnswer;
  /** The world moves on: each of these takes effect for requests that arrive later. */
  setPrice(url: string, rateIndex: number, micros: number, now: number): void;
  touchPage(url: string, lastMod: string): void;
  addPage(host: string, page: ScenarioSite["pages"][number], now: number): void;
  removePage(url: string): void;
  /** 403 for tokens and content of this page (a definite no: never charged). */
  forbidPage(url: string): void;
  /** From now on an accepted token of this page is charged so much above its cap (which a gateway should never do). */
  overcharge(url: string, extraMicros: number): void;
  /** Reports that name this URL are refused with 400 as a whole. */
  refuseReportsOf(url: string): void;
}

const CATALOG = /^\/dev\/v2\/content\/([^/]+)\/catalog\/list$/;
const CONTENT = /^\/dev\/v2\/content\/(.+)$/;
const RATES = /^\/dev\/v2\/rates\/(.+)$/;
const FORMATS: Readonly<Record<string, Format>> = { "text/markdown": "markdown", "text/html": "html" };

interface State {
  readonly options: ModelGatewayOptions;
  readonly published: Published;
  readonly books: SalesBooks;
  readonly reports: ReceivedReport[];
  readonly contentRequests: ContentRequestRecord[];
  readonly protests: string[];
  readonly marks: Map<string, CatalogMark>;
  readonly accepted: AcceptedReports;
}

export function createModelGateway(options: ModelGatewayOptions): ModelGateway {
  const published = publishSites(options.sites, options.startAt);
  const state: State = {
    options,
    published,
    books: { tokens: [], charges: [], sales: new Map() },
    reports: [],
    contentRequests: [],
    protests: [],
    marks: new Map(),
    accepted: new Map(),
  };
  const { books, reports, contentRequests, protests } = state;
  const page = (url: string): Page => {
    const found = published.pages.get(url);
    if (found === undefined) {
      throw new Error(`the simulated world has no page ${url}`);
    }
    return found;
  };
  return {
    account: {
      tokens: books.tokens,
      charges: books.charges,
      reports,
      contentRequests,
      rates: published.rates,
      protests,
    },
    handle: (request, now) => guard(protests, () => serve(state, readArrival(request, now))),
    setPrice: (url, rateIndex, micros, now) => changePrice(page(url), rateIndex, micros, now),
    touchPage: (url, lastMod) => touchPage(page(url), lastMod, published),
    addPage: (host, added, now) => publishPage(published, host, added, now),
    removePage: (url) => {
      page(url).isRemoved = true;
    },
    forbidPage: (url) => {
      page(url).isForbidden = true;
    },
    overcharge: (url, extraMicros) => {
      page(url).overchargeMicros = extraMicros;
    },
    refuseReportsOf: (url) => {
      page(url).refusesReports = true;
    },
  };
}

/** A protest is written down, and answered as a refusal. */
function guard(protests: string[], serving: () => ModelAnswer): ModelAnswer {
  try {
    return serving();
  } catch (error) {
    if (!(error instanceof Protest)) {
      throw error;
    }
    protests.push(error.message);
    return problem(error.status, error.message);
  }
}

function serve(state: State, arrival: Arrival): ModelAnswer {
  const { options, published, books, marks } = state;
  const { path } = arrival;
  const catalog = CATALOG.exec(path)?.[1];
  const content = CONTENT.exec(path)?.[1];
  if (arrival.method === "GET") {
    requireNothing(arrival.text, "a GET came with a body");
    if (catalog === undefined && content !== undefined) {
      return serveContent(state, arrival, content);
    }
  }
  requireAgent(arrival, "user-agent", options);
  requireKey(arrival, options);
  if (arrival.method === "GET") {
    if (catalog !== undefined) {
      return listCatalog(decode(catalog), arrival, published, marks, options);
    }
    if (path === "/dev/v1/webhook/history") {
      return serveHistory(arrival);
    }
    const rates = RATES.exec(path)?.[1];
    if (rates !== undefined) {
      requireNoQueryBut(arrival, []);
      return getRates(decodeUrl(rates), published);
    }
    throw new Protest(404, `there is nothing to GET at ${path}`);
  }
  requireNoQueryBut(arrival, []);
  switch (path) {
    case "/dev/v2/rates/batch":
      return getRatesOfMany(arrival, published, options);
    case "/dev/v2/tokens/content":
      return issueContentToken(arrival, published, books, options);
    case "/dev/v2/tokens/crawl":
      return issueIndexingToken(arrival, published, books, options);
    case `/${options.service.toLowerCase()}/dev/v2/transactions/selfReport`:
      return serveReport(state, arrival);
    default:
      throw new Protest(404, `there is nothing to ${arrival.method} to at ${path}`);
  }
}

/** Every content request is recorded, whatever comes of it. */
function serveContent(state: State, arrival: Arrival, parameter: string): ModelAnswer {
  const { options, published, books, contentRequests, protests } = state;
  const { headers, now } = arrival;
  const token = headers.get(`${options.service}Token`.toLowerCase()) ?? "";
  let url = parameter;
  const answer = guard(protests, () => {
    url = decodeUrl(parameter);
    requireNoQueryBut(arrival, []);
    requireNothing(
      [...headers.values()].find((value) => value.includes(options.apiKey)),
      "the API key came with content",
    );
    const userAgent = requireAgent(arrival, "user-agent", options);
    const format = FORMATS[headers.get(`${options.service}-Accept-Content`.toLowerCase()) ?? ""];
    const sale = books.sales.get(token);
    if (sale === undefined || sale.issued.url !== url || sale.userAgent !== userAgent) {
      throw new Protest(401, `content of ${url} was asked for with a token that was not issued for it`);
    }
    if (format === undefined || format !== (sale.format ?? format)) {
      throw new Protest(400, `content of ${url} was asked for in no format, or in another one than its token's`);
    }
    return sellContent({ url, format, now }, sale, published, books, options);
  });
  contentRequests.push({ token, url, at: now, status: answer.status });
  return answer;
}

/** Every report is recorded, the refused and repeated ones too. */
function serveReport(state: State, arrival: Arrival): ModelAnswer {
  const { options, published, accepted, reports, protests } = state;
  const draft: ReportDraft = { idempotencyId: "", outcome: "rejected", uses: [] };
  const answer = guard(protests, () => {
    requireAgent(arrival, "useragent", options);
    return takeReport(arrival, draft, published, accepted, options);
  });
  reports.push({ ...draft, body: arrival.text ?? "", at: arrival.now });
  return answer;
}

/** Nothing was ever delivered, so there is no next token to send. */
function serveHistory(arrival: Arrival): ModelAnswer {
  requireNoQueryBut(arrival, ["size", "days-ago"]);
  for (const [name, value] of arrival.query) {
    requireWhole(Number(value), name, name === "size" ? 1 : 0);
  }
  return jsonAnswer({ Items: [] });
}

function requireKey({ path, headers, text }: Arrival, { service, apiKey }: ModelGatewayOptions): void {
  if (headers.get(`${service}Key`.toLowerCase()) !== apiKey) {
    throw new Protest(401, `${path} was asked for without the key, or with another one`);
  }
  requireNothing(headers.get(`${service}Token`.toLowerCase()), `a token was sent to ${path}`);
  if (`${path} ${text ?? ""}`.includes(apiKey)) {
    throw new Protest(400, "the API key was sent in a path or a body");
  }
}

function requireAgent({ path, headers }: Arrival, header: string, { agentId }: ModelGatewayOptions): string {
  const userAgent = headers.get(header);
  if (!userAgent?.includes(agentId)) {
    throw new Protest(401, `${path} was asked for without the agent's id in its ${header}`);
  }
  return userAgent;
}

function requireNothing(value: unknown, what: string): void {
  if (value !== undefined && value !== null) {
    throw new Protest(400, what);
  }
}
