import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A whole answer, byte by byte, where JSON with status 200 will not do. */
export class RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;

  constructor(status: number, body: string | Buffer = "", headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** Hangs up without an answer. */
export const HANG_UP = Symbol("hang up");
/** Never answers. */
export const SILENCE = Symbol("silence");

/** What comes instead of the correct answer: JSON, a RawAnswer, HANG_UP or SILENCE. */
type Twist = (honest: unknown, request: GatewayRequest) => unknown;

export interface GatewayRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly json: unknown;
  /** The page that the request is about, where it is about one. */
  readonly page: string;
}

export type EndpointName = "catalog" | "rates" | "rate" | "token" | "content" | "report" | "history";

/**
 * A gateway on the loopback interface with a correct account and wrong answers: it does what the specification says, writes down
 * what it did, and then a twist may answer something else. Without twists it is a plain gateway of one site.
 */
export interface HostileGateway {
  readonly url: string;
  readonly twists: Partial<Record<EndpointName, Twist>>;
  /** Tokens spent, each with the cap it carried: what a page really cost. */
  readonly charges: readonly { readonly page: string; readonly micros: number }[];
  /** Every body of each report, by its idempotency id. */
  readonly reports: ReadonlyMap<string, readonly string[]>;
  readonly tokens: readonly string[];
  /** How often each endpoint was asked. */
  readonly asked: Readonly<Record<EndpointName, number>>;
  /** Resolves once an endpoint was asked so often. */
  whenAsked(name: EndpointName, times: number): Promise<void>;
  close(): Promise<void>;
}

export const PRICE_MICROS = 1_000;
export const LICENSE = {
  cuid: "lic-1",
  id: "lic-1",
  licenseType: "ON_DEMAND_LICENSE",
  licensePath: "https://gateway.example/licenses/1",
  permissions: [{ name: "PARTIAL_USE" }],
};

export function honestRate(priceMicros = PRICE_MICROS) {
  return { price: { priceMicros, currency: "USD" }, license: LICENSE };
}

/** @param pages what the catalog lists and what can be bought, at PRICE_MICROS each */
export async function startHostileGateway(pages: readonly string[]): Promise<HostileGateway> {
  const twists: HostileGateway["twists"] = {};
  const charges: { page: string; micros: number }[] = [];
  const reports = new Map<string, string[]>();
  const caps = new Map<string, { page: string; micros: number; licenseCuid: string | undefined; spent: boolean }>();
  const tokens: string[] = [];
  const asked: Record<EndpointName, number> = {
    catalog: 0,
    rates: 0,
    rate: 0,
    token: 0,
    content: 0,
    report: 0,
    history: 0,
  };
  const waiting = new Set<() => void>();
  const ratesOf = (page: string) => (pages.includes(page) ? [honestRate()] : []);

  const honest: Record<EndpointName, (request: GatewayRequest, body: string) => unknown> = {
    catalog: () => ({ pages: pages.map((pageUrl) => ({ pageUrl, lastMod: "2026-01-02T03:04:05Z", propertyId: "p" })) }),
    rates: ({ json }) => (json as { urls: string[] }).urls.map((url) => ({ url, rates: ratesOf(url) })),
    rate: ({ page }) => ratesOf(page),
    token: ({ json }) => {
      const { url, maxPriceMicros, licenseCuid } = json as TokenOrder;
      const token = `one-time-${tokens.length}-${"x".repeat(24)}`;
      tokens.push(token);
      caps.set(token, { page: url, micros: maxPriceMicros ?? 0, licenseCuid, spent: false });
      return { token };
    },
    content: ({ headers, page }) => {
      const token = caps.get(String(headers.servicetoken));
      if (token === undefined || token.spent || token.page !== page) {
        return new RawAnswer(401, JSON.stringify({ title: "the token is not valid" }));
      }
      token.spent = true;
      charges.push({ page, micros: token.micros });
      const rate = honestRate(token.micros);
      const license = { ...rate.license, cuid: token.licenseCuid ?? rate.license.cuid };
      return { content: { body: `# ${page}` }, metadata: { title: "T" }, rate: { ...rate, license } };
    },
    report: ({ json }, body) => {
      const { idempotencyId, usage } = json as { idempotencyId: string; usage: UsageEntry[] };
      reports.set(idempotencyId, [...(reports.get(idempotencyId) ?? []), body]);
      return usage.map(toReceipt);
    },
    history: () => ({ Items: [] }),
  };

  const server = createServer({ maxHeaderSize: 1 << 16 }, (message, response) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("error", () => undefined);
    message.on("end", () => {
      const found = findEndpoint(message);
      if (found === null) {
        return send(response, new RawAnswer(404, "{}"));
      }
      const body = Buffer.concat(chunks).toString();
      const request = readRequest(message, found.page, body);
      asked[found.name]++;
      for (const look of waiting) {
        look();
      }
      const truth = honest[found.name](request, body);
      const twist = twists[found.name];
      send(response, twist === undefined ? truth : twist(truth, request));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    twists,
    charges,
    reports,
    tokens,
    asked,
    whenAsked: (name, times) =>
      new Promise((resolve) => {
        const look = () => {
          if (asked[name] >= times) {
            waiting.delete(look);
            resolve();
          }
        };
        waiting.add(look);
        look();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface TokenOrder {
  readonly url: string;
  readonly maxPriceMicros?: number;
  readonly licenseCuid?: string;
}

interface UsageEntry {
  readonly url: string;
  readonly timesUsed: number;
  readonly licenseType: string;
  readonly licenseCuid?: string;
}

function toReceipt({ url, timesUsed, licenseType, licenseCuid }: UsageEntry) {
  return {
    url,
    perUnitPriceMicros: PRICE_MICROS,
    totalUsePriceMicros: PRICE_MICROS * timesUsed,
    currency: "USD",
    license: { ...LICENSE, licenseType, cuid: licenseCuid },
  };
}

function findEndpoint({ url = "" }: IncomingMessage): { name: EndpointName; page: string } | null {
  const path = url.split("?")[0] ?? "";
  const exact: Record<string, EndpointName> = {
    "/dev/v2/rates/batch": "rates",
    "/dev/v2/tokens/content": "token",
    "/dev/v2/tokens/crawl": "token",
    "/service/dev/v2/transactions/selfReport": "report",
    "/dev/v1/webhook/history": "history",
  };
  const name = exact[path];
  if (name !== undefined) {
    return { name, page: "" };
  }
  if (/^\/dev\/v2\/content\/[^/]+\/catalog\/list$/.test(path)) {
    return { name: "catalog", page: "" };
  }
  const [, kind, page = ""] = /^\/dev\/v2\/(content|rates)\/([^/]+)$/.exec(path) ?? [];
  return kind === undefined ? null : { name: kind === "rates" ? "rate" : "content", page: decodeURIComponent(page) };
}

function readRequest(message: IncomingMessage, page: string, body: string): GatewayRequest {
  const { pathname, searchParams } = new URL(message.url ?? "/", "http://gateway");
  return {
    path: pathname,
    query: searchParams,
    headers: message.headers,
    json: body === "" ? null : JSON.parse(body),
    page,
  };
}

function send(response: ServerResponse, answer: unknown): void {
  if (answer === HANG_UP) {
    response.socket?.resetAndDestroy();
    return;
  }
  if (answer === SILENCE) {
    return;
  }
  const raw = answer instanceof RawAnswer ? answer : new RawAnswer(200, JSON.stringify(answer) ?? "");
  response.on("error", () => undefined);
  response.writeHead(raw.status, { "content-type": "application/json", ...raw.headers });
  response.end(raw.body);
}
