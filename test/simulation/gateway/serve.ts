/** Finds the endpoint of each request, and checks who may use it. */
import { jsonAnswer, problem } from "./answers.ts";
import { type Arrival, decode, decodeUrl, Protest, readArrival, requireNoQueryBut, requireWhole } from "./arrival.ts";
import type { Format, GatewayState } from "./gateway-state.ts";
import { getRates, getRatesOfMany, listCatalog } from "./listings.ts";
import type { ArrivedRequest, ModelAnswer, ModelGatewayOptions } from "./model-gateway.ts";
import { findPage } from "./published.ts";
import { type ReportDraft, takeReport } from "./reports.ts";
import { issueContentToken, issueIndexingToken, sellContent } from "./sales.ts";

const CATALOG = /^\/dev\/v2\/content\/([^/]+)\/catalog\/list$/;
const CONTENT = /^\/dev\/v2\/content\/(.+)$/;
const RATES = /^\/dev\/v2\/rates\/(.+)$/;
const DAY_MS = 86_400_000;
const FORMATS: Readonly<Record<string, Format>> = { "text/markdown": "markdown", "text/html": "html" };

export function serve(state: GatewayState, request: ArrivedRequest, now: number): ModelAnswer {
  return guard(state.protests, () => route(state, readArrival(request, now)));
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

function route(state: GatewayState, arrival: Arrival): ModelAnswer {
  const { options } = state;
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
  if (path === "/" && arrival.method === "GET") {
    requireNoKey(arrival, options, "the API key came where nothing is asked for");
    return problem(404, "nothing is here");
  }
  requireKey(arrival, options);
  if (arrival.method === "GET") {
    if (catalog !== undefined) {
      return listCatalog(state, arrival, decode(catalog));
    }
    if (path === "/dev/v1/webhook/history") {
      return serveHistory(state, arrival);
    }
    const rates = RATES.exec(path)?.[1];
    if (rates !== undefined) {
      requireNoQueryBut(arrival, []);
      return getRates(state, decodeUrl(rates));
    }
    throw new Protest(404, `there is nothing to GET at ${path}`);
  }
  requireNoQueryBut(arrival, []);
  switch (path) {
    case "/dev/v2/rates/batch":
      return getRatesOfMany(state, arrival);
    case "/dev/v2/tokens/content":
      return issueContentToken(state, arrival);
    case "/dev/v2/tokens/crawl":
      return issueIndexingToken(state, arrival);
    case `/${options.service.toLowerCase()}/dev/v2/transactions/selfReport`:
      return serveReport(state, arrival);
    default:
      throw new Protest(404, `there is nothing to ${arrival.method} to at ${path}`);
  }
}

/** Every content request is recorded, whatever comes of it. */
function serveContent(state: GatewayState, arrival: Arrival, parameter: string): ModelAnswer {
  const { options, sales, contentRequests, protests } = state;
  const { headers, now } = arrival;
  const token = headers.get(`${options.service}Token`.toLowerCase()) ?? "";
  let url = parameter;
  const answer = guard(protests, () => {
    url = decodeUrl(parameter);
    requireNoQueryBut(arrival, []);
    requireNoKey(arrival, options, "the API key came with content");
    const userAgent = requireAgent(arrival, "user-agent", options);
    const format = FORMATS[headers.get(`${options.service}-Accept-Content`.toLowerCase()) ?? ""];
    const sale = sales.get(token);
    if (sale?.issued.url === findPage(state, url)?.url && sale?.issued.spelling !== url) {
      // It compares literally, as a gateway may: this spelling leads nowhere.
      return problem(404, "there is no such page");
    }
    if (sale === undefined || sale.issued.spelling !== url || sale.userAgent !== userAgent) {
      throw new Protest(401, `content of ${url} was asked for with a token that was not issued for it`);
    }
    if (format === undefined || format !== (sale.format ?? format)) {
      throw new Protest(400, `content of ${url} was asked for in no format, or in another one than its token's`);
    }
    return sellContent(state, sale, format, now);
  });
  const page = findPage(state, url)?.url ?? url;
  contentRequests.push({ token, url: page, spelling: url, at: now, status: answer.status });
  return answer;
}

/** Every report is recorded, the refused and repeated ones too. */
function serveReport(state: GatewayState, arrival: Arrival): ModelAnswer {
  const { options, reports, protests } = state;
  const draft: ReportDraft = { idempotencyId: "", outcome: "rejected", uses: [] };
  const answer = guard(protests, () => {
    requireAgent(arrival, "useragent", options);
    return takeReport(state, arrival, draft);
  });
  reports.push({ ...draft, body: arrival.text ?? "", at: arrival.now });
  return answer;
}

/** A world has fewer records than a page of them, so there is no next token to send. */
function serveHistory({ deliveries }: GatewayState, arrival: Arrival): ModelAnswer {
  requireNoQueryBut(arrival, ["size", "days-ago"]);
  for (const [name, value] of arrival.query) {
    requireWhole(Number(value), name, name === "size" ? 1 : 0);
  }
  const days = Number(Object.fromEntries(arrival.query)["days-ago"] ?? Number.POSITIVE_INFINITY);
  const Items = deliveries
    .filter(({ lastAttempt }) => lastAttempt >= arrival.now - days * DAY_MS)
    .map((record) => ({ ...record, lastAttempt: new Date(record.lastAttempt).toISOString() }));
  return jsonAnswer({ Items });
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

function requireNoKey({ headers }: Arrival, { apiKey }: ModelGatewayOptions, what: string): void {
  requireNothing(
    [...headers.values()].find((value) => value.includes(apiKey)),
    what,
  );
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
