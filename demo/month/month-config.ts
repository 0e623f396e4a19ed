import type { ConfigInput } from "../../src/config/config-input.ts";
import { ARCHIVE, GUIDES, HOSTILE, SCIENCE, TIMES } from "./month-sites.ts";

/** A token that may read, and two that may act. */
export const TOKENS = {
  reader: "a-token-that-may-only-read-0001",
  anna: "a-token-of-anna-who-may-act-0002",
  ben: "a-token-of-ben-who-may-act-00003",
};

const SECRET = "the-secret-of-the-month";

/** A subscription whose deliveries reach nobody: the service finds them in the gateway's records. */
export const MISSED_DELIVERIES = { id: "main", url: "http://127.0.0.1:9/webhooks/main", secret: SECRET };

/** @param dir the directory of the ledger */
export function monthConfig({ gatewayUrl, dir }: { readonly gatewayUrl: string; readonly dir: string }): ConfigInput {
  return {
    gateway: {
      baseUrl: gatewayUrl,
      apiKey: "sandbox-key",
      agentId: "licet-demo",
      requestsPerSecond: null,
      // One request after the other: the month is the same each time.
      concurrency: 8,
      fee: { percent: 2.5 },
    },
    ledger: { path: `${dir}/licet.sqlite` },
    queue: { url: "embedded" },
    budgets: [
      { scope: "all", per: "month", limit: "4 USD" },
      { scope: "all", per: "day", limit: "0.15 USD" },
      { scope: `site:${SCIENCE}`, per: "month", limit: "1.50 USD" },
      { scope: "run", limit: "1 USD" },
    ],
    policies: {
      newsroom: {
        rules: [
          { deny: { permissions: ["CITATION_REQUIRED"] } },
          { allow: { license: "ON_DEMAND_LICENSE", maxPrice: "0.02 USD" } },
          { allow: { license: "ON_DEMAND_LICENSE", maxPrice: "0.02 EUR" } },
        ],
      },
      research: {
        prefer: "most-permissive",
        onExpiry: "purge",
        rules: [
          { allow: { license: "ON_DEMAND_FULL_USE_LICENSE", maxPrice: "0.03 USD" } },
          { allow: { license: "ON_DEMAND_LICENSE", maxPrice: "0.02 USD" } },
        ],
      },
    },
    sites: [
      { host: TIMES, policy: "newsroom", schedule: "0 5 * * *", refresh: { fullWalkEvery: "0s" } },
      { host: SCIENCE, policy: "research", schedule: "30 5 * * 1,3,5" },
      { host: GUIDES, policy: "newsroom", schedule: { cron: "0 6 * * *", timeZone: "Europe/Berlin" } },
      { host: ARCHIVE, policy: "newsroom" },
      { host: HOSTILE, policy: "newsroom" },
    ],
    reporting: { every: "5m" },
    serve: {
      port: 0,
      plans: `${dir}/plans`,
      tokens: [
        { name: "reader", token: TOKENS.reader, can: "read" },
        { name: "anna", token: TOKENS.anna, can: "act" },
        { name: "ben", token: TOKENS.ben, can: "act" },
      ],
    },
    webhooks: [{ id: "main", path: "/webhooks/main", url: MISSED_DELIVERIES.url, secret: SECRET }],
    alerts: [
      {
        on: ["budget_80", "budget_exhausted", "run_failed", "in_doubt", "open_item"],
        webhook: "http://127.0.0.1:9/alerts",
      },
    ],
  };
}
