import { request } from "node:http";
import type { SandboxOptions } from "../../../src/sandbox/options.ts";
import type { RateInput } from "../../../src/sandbox/pricing/rate.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/sandbox.ts";
import type { Clock } from "../../../src/time/clock.ts";

export const KEY = { ServiceKey: "sandbox-key" };
export const JSON_KEY = { ...KEY, "Content-Type": "application/json" };
export const AGENT = "licet-demo/1.0";
export const PAGE_URL = "https://news.example/a";
export const CUSTOM_URL = "https://news.example/custom";
export const FREE_URL = "https://news.example/free";
export const CLOSED_URL = "https://news.example/closed";

const STANDARD: RateInput = { priceMicros: 2_000 };
const CUSTOM: RateInput = { priceMicros: 7_000, licenseType: "CUSTOM_LICENSE", cuid: "custom-1" };

/** A site with one page of each kind. */
export const SITE_PAGES = [
  { url: "/a", markdown: "# Alpha\n\nThe *first* page.", lastMod: "2026-01-03T00:00:00Z", rates: [STANDARD] },
  { url: "/custom", markdown: "# Custom", lastMod: "2026-01-02T00:00:00Z", rates: [STANDARD, CUSTOM] },
  { url: "/free", markdown: "# Free", lastMod: "2026-01-01T00:00:00Z", rates: [{ priceMicros: 0 }] },
  { url: "/closed", markdown: "# Closed", lastMod: null, rates: [], indexing: false },
] as const;

export function startGateway(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  return startSandbox({ sites: [{ host: "news.example", kind: "pages", pages: SITE_PAGES }], ...options });
}

/** A clock that does not move until a test moves it. */
export function createStillClock(startAt = Date.UTC(2026, 0, 10)): Clock & { move(ms: number): void } {
  let at = startAt;
  return {
    now: () => at,
    sleep: async (ms) => {
      at += ms;
    },
    move: (ms) => {
      at += ms;
    },
  };
}

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of an answer is looked at field by field.
  readonly json: any;
}

/** One call with the path exactly as given. Rejects when the connection is cut. */
export function call(
  gateway: { readonly port: number },
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string | Buffer,
  signal?: AbortSignal,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port: gateway.port, method, path, headers, agent: false, ...(signal ? { signal } : {}) },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parseOrText(text) });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

export function post(
  gateway: { readonly port: number },
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) {
  return call(
    gateway,
    "POST",
    path,
    { ...JSON_KEY, ...headers },
    typeof body === "string" ? body : JSON.stringify(body),
  );
}

export function contentPath(url: string): string {
  return `/dev/v2/content/${encodeURIComponent(url)}`;
}

export function askContentToken(gateway: { readonly port: number }, fields: Record<string, unknown> = {}) {
  return post(gateway, "/dev/v2/tokens/content", {
    url: PAGE_URL,
    userAgent: AGENT,
    maxPriceMicros: 2_000,
    currency: "USD",
    licenseType: "ON_DEMAND_LICENSE",
    ...fields,
  });
}

export function askIndexingToken(gateway: { readonly port: number }, fields: Record<string, unknown> = {}) {
  return post(gateway, "/dev/v2/tokens/crawl", { url: PAGE_URL, userAgent: AGENT, ...fields });
}

/** Fetches content with a token. */
export function fetchContent(
  gateway: { readonly port: number },
  token: string,
  options: { url?: string; headers?: Record<string, string> } = {},
) {
  const headers = { ServiceToken: token, "User-Agent": AGENT, ...options.headers };
  return call(gateway, "GET", contentPath(options.url ?? PAGE_URL), headers);
}

export function report(gateway: { readonly port: number }, body: unknown, headers: Record<string, string> = {}) {
  return post(gateway, "/service/dev/v2/transactions/selfReport", body, { UserAgent: AGENT, ...headers });
}

function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
