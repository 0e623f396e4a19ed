import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A second gateway, written from the specification and the notes alone and sharing nothing with the sandbox: another service
 * name, receipts in an object, bulk answers shuffled and with repeats, a price that moves between quote and fetch, a
 * catalog that repeats entries and comes back to its first page.
 */
export interface OtherGateway {
  readonly url: string;
  /** What was charged, by page URL as this gateway spells it. */
  readonly charges: readonly { readonly url: string; readonly micros: number }[];
  readonly reports: ReadonlyMap<
    string,
    { readonly body: string; readonly usage: readonly { url: string; timesUsed: number }[] }
  >;
  readonly problems: readonly string[];
  close(): Promise<void>;
}

const SERVICE = "Tollbit";
const KEY = "other-key";
const AGENT = "other-agent/2.0";
const PAGES_PER_ANSWER = 7;

interface Token {
  readonly url: string;
  readonly cap: number;
  spent: boolean;
}

export async function startOtherGateway(pageUrls: readonly string[]): Promise<OtherGateway> {
  const charges: { url: string; micros: number }[] = [];
  const reports = new Map<string, { body: string; usage: { url: string; timesUsed: number }[] }>();
  const problems: string[] = [];
  const tokens = new Map<string, Token>();
  const catalogs = { answers: 0 };
  /** Every third page has become dearer by the time of its token, every fifth cheaper by the time of its fetch. */
  const quoted = (url: string) => 1_000 + pageUrls.indexOf(url);
  const atToken = (url: string) => quoted(url) + (pageUrls.indexOf(url) % 3 === 0 ? 500 : 0);
  const atFetch = (url: string) => atToken(url) - (pageUrls.indexOf(url) % 5 === 0 ? 400 : 0);
  const license = (name: "cuid" | "id") => ({
    [name]: "lic-1",
    licenseType: "ON_DEMAND_LICENSE",
    licensePath: "https://x.example/l",
    permissions: [{ name: "PARTIAL_USE" }],
  });

  const routes: Record<string, (request: IncomingMessage, body: string, answer: Answer) => void> = {
    catalog: (request, _body, answer) => {
      expectHeader(request, "tollbitkey", KEY);
      const query = new URL(request.url ?? "", "http://x").searchParams;
      const at = Number(query.get("pageToken") ?? "0");
      catalogs.answers++;
      const pages = pageUrls
        .slice(Math.max(0, at - 2), at + PAGES_PER_ANSWER)
        .map((pageUrl) => ({ pageUrl, propertyId: "p" }));
      const next = at + PAGES_PER_ANSWER;
      answer(200, { pages, pageToken: next >= pageUrls.length ? "7" : String(next) });
    },
    bulk: (request, body, answer) => {
      expectHeader(request, "tollbitkey", KEY);
      const { urls } = JSON.parse(body) as { urls: string[] };
      const rates = urls.map((url) => ({
        url,
        rates: pageUrls.includes(url)
          ? [{ price: { priceMicros: quoted(url), currency: "USD" }, license: license("cuid") }]
          : [],
      }));
      answer(200, [...rates.slice(0, 2), ...rates.reverse()]);
    },
    token: (request, body, answer) => {
      expectHeader(request, "tollbitkey", KEY);
      const { url, userAgent, maxPriceMicros, currency, licenseType } = JSON.parse(body) as Record<
        string,
        string | number
      >;
      if (userAgent !== AGENT || currency !== "USD" || licenseType !== "ON_DEMAND_LICENSE") {
        problems.push(`token request: ${body}`);
      }
      if (!pageUrls.includes(String(url))) {
        return answer(404, { title: "no such page" });
      }
      if (Number(maxPriceMicros) < atToken(String(url))) {
        return answer(400, { title: "price above the cap", status: 400 });
      }
      const token = `t${tokens.size}`;
      tokens.set(token, { url: String(url), cap: Number(maxPriceMicros), spent: false });
      answer(200, { token });
    },
    content: (request, _body, answer) => {
      const url = decodeURIComponent((request.url ?? "").slice("/dev/v2/content/".length));
      const token = tokens.get(String(request.headers.tollbittoken));
      expectHeader(request, "user-agent", AGENT);
      if (request.headers.tollbitkey !== undefined) {
        problems.push("the API key was sent with a content request");
      }
      if (token === undefined || token.spent || token.url !== url) {
        return answer(401, { title: "token" });
      }
      token.spent = true;
      charges.push({ url, micros: atFetch(url) });
      if (atFetch(url) > token.cap) {
        problems.push(`${url} charged above its cap`);
      }
      answer(200, {
        content: { body: `# ${url}` },
        metadata: { title: "T" },
        rate: { price: { priceMicros: atFetch(url), currency: "USD" }, license: license("id") },
      });
    },
    report: (request, body, answer) => {
      expectHeader(request, "tollbitkey", KEY);
      expectHeader(request, "useragent", AGENT);
      const { idempotencyId, usage } = JSON.parse(body) as {
        idempotencyId: string;
        usage: { url: string; timesUsed: number }[];
      };
      if (reports.has(idempotencyId) && reports.get(idempotencyId)?.body !== body) {
        problems.push("an idempotency id came back with another body");
      }
      const isFirst = !reports.has(idempotencyId);
      reports.set(idempotencyId, { body, usage });
      if (isFirst) {
        return answer(503, "<html>come again</html>");
      }
      const receipts = usage.map((entry) => ({
        url: entry.url,
        perUnitPriceMicros: quoted(entry.url),
        totalUsePriceMicros: quoted(entry.url) * entry.timesUsed,
        currency: "USD",
        license: license("id"),
      }));
      answer(200, { receipts: receipts.reverse() });
    },
  };

  function expectHeader(request: IncomingMessage, name: string, value: string): void {
    if (request.headers[name] !== value) {
      problems.push(`${request.method} ${request.url}: ${name} is ${String(request.headers[name])}`);
    }
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const route = findRoute(request);
      if (route === null) {
        problems.push(`unknown request: ${request.method} ${request.url}`);
        return send(response)(404, {});
      }
      routes[route]?.(request, Buffer.concat(chunks).toString(), send(response));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    charges,
    reports,
    problems,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Answer = (status: number, body: unknown) => void;

function send(response: ServerResponse): Answer {
  return (status, body) => {
    response.writeHead(status, { "content-type": typeof body === "string" ? "text/html" : "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

function findRoute({ method, url = "" }: IncomingMessage): string | null {
  const path = url.split("?")[0] ?? "";
  if (method === "POST") {
    const byPath: Record<string, string> = {
      "/dev/v2/rates/batch": "bulk",
      "/dev/v2/tokens/content": "token",
      [`/${SERVICE.toLowerCase()}/dev/v2/transactions/selfReport`]: "report",
    };
    return byPath[path] ?? null;
  }
  if (/^\/dev\/v2\/content\/[^/]+\/catalog\/list$/.test(path)) {
    return "catalog";
  }
  return /^\/dev\/v2\/content\/[^/]+$/.test(path) ? "content" : null;
}
