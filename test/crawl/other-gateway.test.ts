import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAgent } from "../../src/agent/create-agent.ts";
import { startOtherGateway } from "../doubles/other-gateway.ts";

const PAGES = 40;
/** Spellings that a literally comparing gateway must find again. */
const URLS = [
  "https://news.example",
  "https://news.example/catalog/list",
  "https://news.example/a%20b?x=1&y=%2F",
  "https://news.example/caf%C3%A9/",
  "https://news.example/ünï",
  ...Array.from({ length: PAGES - 5 }, (_, index) => `https://news.example/2026/${index}`),
];

test("another kind of gateway, with changing prices and a looping catalog, agrees with the ledger to the micro", async () => {
  const gateway = await startOtherGateway(URLS);
  const directory = await mkdtemp(join(tmpdir(), "licet-other-"));
  const agent = createAgent(
    {
      gateway: {
        baseUrl: gateway.url,
        service: "Tollbit",
        apiKey: "other-key",
        agentId: "other-agent",
        userAgent: "other-agent/2.0",
      },
      ledger: { path: join(directory, "licet.sqlite") },
      budgets: [{ scope: "all", limit: "10 USD" }],
      policies: { standard: { rules: [{ allow: { license: "ON_DEMAND_LICENSE" } }] } },
      sites: [{ host: "news.example", policy: "standard" }],
    },
    { cwd: directory, env: {} },
  );
  try {
    const report = await agent.run();
    const dearer = URLS.filter((_, index) => index % 3 === 0).length;
    expect(gateway.problems).toEqual([]);
    expect(report).toMatchObject({
      state: "completed",
      pages: { seen: PAGES, approved: PAGES, bought: PAGES - dearer, failed: dearer, inDoubt: 0 },
      failures: { token_refused: dearer },
    });
    expect(report.sites[0]?.walkWarning).toContain("repeated a page token");
    const charged = gateway.charges.reduce((sum, { micros }) => sum + micros, 0);
    expect(report.spend.USD).toMatchObject({ settledMicros: charged, inDoubtMicros: 0, reservedMicros: 0 });
    expect(new Set(gateway.charges.map(({ url }) => url)).size).toBe(gateway.charges.length);
    const reported = [...gateway.reports.values()].flatMap(({ usage }) => usage);
    expect(reported.map(({ url }) => url).sort()).toEqual(gateway.charges.map(({ url }) => url).sort());
    expect(await agent.audit()).toMatchObject({ ok: true, violations: [] });
  } finally {
    await agent.close();
    await gateway.close();
    await rm(directory, { recursive: true, force: true });
  }
});
