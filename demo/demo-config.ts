import type { ConfigInput } from "../src/config/config-input.ts";

export const DEMO_HOST = "demo.example";

/** The policy of both demonstrations. */
export const STANDARD: ConfigInput["policies"][string] = {
  rules: [
    { deny: { permissions: ["CITATION_REQUIRED"] } },
    { allow: { license: "ON_DEMAND_FULL_USE_LICENSE", maxPrice: "0.03 USD" } },
    { allow: { license: "ON_DEMAND_LICENSE", maxPrice: "0.02 USD" } },
  ],
};

/** @param dir the directory for the ledger and the queue */
export function demoConfig(baseUrl: string, dir: string): ConfigInput {
  return {
    gateway: {
      baseUrl,
      apiKey: "sandbox-key",
      agentId: "licet-demo",
      // Slow enough that the kill comes while the run is active.
      concurrency: 4,
    },
    ledger: { path: `${dir}/licet.sqlite` },
    queue: { url: "embedded" },
    budgets: [
      { scope: "all", per: "month", limit: "5 USD" },
      { scope: "run", limit: "1 USD" },
    ],
    policies: { standard: STANDARD },
    sites: [{ host: DEMO_HOST, policy: "standard" }],
  };
}
