/** Plans a crawl, runs it within a limit of its own, and says how it ended. */
import { createAgent, defineConfig, formatMoney } from "licet";

const config = defineConfig({
  gateway: {
    baseUrl: process.env.LICET_GATEWAY_URL ?? "http://127.0.0.1:8402",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: licet fills it in, and says clearly when it is missing
    apiKey: "${LICET_API_KEY}",
    agentId: "licet-demo",
  },
  ledger: { path: "./data/licet.sqlite" },
  budgets: [{ scope: "all", per: "month", limit: "500 USD" }],
  policies: {
    standard: {
      rules: [
        { deny: { permissions: ["CITATION_REQUIRED"] } },
        { allow: { license: "ON_DEMAND_LICENSE", maxPrice: "0.02 USD" } },
      ],
    },
  },
  sites: [{ host: "demo.example", policy: "standard" }],
});

const agent = createAgent(config);
agent.on("page.failed", ({ url, reason }) => console.error(`failed: ${url} (${reason})`));
agent.on("warning", ({ message }) => console.error(message));

try {
  const plan = await agent.plan();
  for (const [currency, { setAsideMicros: micros, pages }] of Object.entries(plan.cost)) {
    console.log(`would buy ${pages} pages for ${formatMoney({ micros, currency })}`);
  }

  const report = await agent.run({ maxSpend: "5 USD" });
  console.log(`${report.state}: ${report.pages.bought} pages, ${report.pages.inDoubt} in doubt`);
  for (const [currency, { settledMicros }] of Object.entries(report.spend)) {
    console.log(`spent ${formatMoney({ micros: settledMicros, currency })}`);
  }

  const audit = await agent.audit();
  console.log(audit.ok ? "every promise is kept" : audit.violations);
} finally {
  await agent.close();
}
