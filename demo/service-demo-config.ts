import type { ConfigInput } from "../src/config/config-input.ts";
import { STANDARD } from "./demo-config.ts";

export const NEWS_HOST = "news.example";
export const BLOG_HOST = "blog.example";
export const WEBHOOK_PATH = "/webhooks/main";
export const WEBHOOK_SECRET = "the-secret-of-the-demo";

/** With it, a person may act on the pages of the service. */
export const SERVE_TOKEN = "the-token-of-the-demo";

export interface DemoPlace {
  readonly gatewayUrl: string;
  /** The directory of the ledger. */
  readonly dir: string;
  /** Where the service listens: webhooks are signed over the whole address, so it is chosen before. */
  readonly servePort: number;
}

/** The URL that is registered with the gateway. */
export function webhookUrl({ servePort }: Pick<DemoPlace, "servePort">): string {
  return `http://127.0.0.1:${servePort}${WEBHOOK_PATH}`;
}

/** Intervals of seconds where a real configuration has minutes and hours. */
export function serviceDemoConfig({ gatewayUrl, dir, servePort }: DemoPlace): ConfigInput {
  return {
    gateway: { baseUrl: gatewayUrl, apiKey: "sandbox-key", agentId: "licet-demo", concurrency: 4 },
    ledger: { path: `${dir}/licet.sqlite` },
    queue: { url: "embedded" },
    budgets: [
      { scope: "all", per: "day", limit: "0.30 USD" },
      { scope: "all", per: "month", limit: "5 USD" },
    ],
    policies: { standard: STANDARD },
    sites: [
      { host: NEWS_HOST, policy: "standard", schedule: "*/10 * * * * *" },
      { host: BLOG_HOST, policy: "standard", schedule: "*/15 * * * * *" },
    ],
    reporting: { every: "5s" },
    serve: { port: servePort, token: SERVE_TOKEN, shutdownMs: "10s" },
    webhooks: [{ id: "main", path: WEBHOOK_PATH, url: webhookUrl({ servePort }), secret: WEBHOOK_SECRET }],
    history: { every: "5s", overlap: "10m" },
  };
}
