import { afterEach, describe, expect, test } from "vitest";
import { compareAccounts, compareReports } from "../doubles/compare-accounts.ts";
import { type CrawlWorld, createCrawlWorld, readPurchases } from "../doubles/crawl-world.ts";

const PRICE = "0.003 USD";
const PRICE_MICROS = 3_000;
const RATES = { default: [{ license: "ON_DEMAND_LICENSE", price: PRICE }] };
const FITS = [{ scope: "all", per: "month", limit: "100 USD" }];

let world: CrawlWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

function site(host: string, pages: number) {
  return { kind: "synthetic" as const, host, pages, bodyBytes: 2_000 };
}

describe("a run that fits its budget", () => {
  test("buys every page once, reports every use once, and agrees with the gateway to the micro", async () => {
    world = await createCrawlWorld({
      sandbox: { sites: [site("news.example", 230)], rates: RATES },
      config: { budgets: FITS, sites: [{ host: "news.example", policy: "standard" }] },
    });
    const agent = await world.openAgent();
    const report = await agent.run();
    expect(report).toMatchObject({
      state: "completed",
      pages: { seen: 230, quoted: 230, approved: 230, bought: 230, denied: 0, failed: 0, inDoubt: 0 },
      spend: { USD: { settledMicros: 230 * PRICE_MICROS, inDoubtMicros: 0, reservedMicros: 0 } },
      usage: { recorded: 230, reported: 230, pending: 0 },
    });
    expect(world.sandbox.audit().totals.USD).toMatchObject({
      chargedMicros: 230 * PRICE_MICROS,
      chargeCount: 230,
      reportedUses: 230,
    });
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
    expect(compareReports(world.sandbox, world.ledgerFile)).toEqual([]);
    expect(await agent.audit()).toMatchObject({ ok: true, violations: [] });
  });

  test("buys nothing the second time, and only what changed the third time", async () => {
    world = await createCrawlWorld({
      sandbox: { sites: [{ kind: "demo", host: "news.example" }], rates: RATES },
      config: { budgets: FITS, sites: [{ host: "news.example", policy: "standard" }] },
    });
    const agent = await world.openAgent();
    const first = await agent.run();
    const second = await agent.run();
    expect(second.pages).toMatchObject({ approved: 0, bought: 0 });
    expect(world.sandbox.audit().charges).toHaveLength(first.pages.bought);
    const changed = world.sandbox
      .audit()
      .charges.slice(0, 2)
      .map(({ url }) => url);
    for (const url of changed) {
      world.sandbox.updatePage({ url, markdown: "# Changed\n\nSince the first run." });
    }
    const third = await agent.run();
    expect(third.pages).toMatchObject({ bought: 2 });
    const bought = world.sandbox.audit().charges.slice(first.pages.bought);
    expect(bought.map(({ url }) => url).sort()).toEqual([...changed].sort());
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  });
});

describe("pages bought as HTML alone", () => {
  test("are stored as HTML, and their Markdown is derived on request", async () => {
    world = await createCrawlWorld({
      sandbox: { sites: [{ kind: "demo", host: "news.example" }], rates: RATES },
      config: {
        budgets: FITS,
        policies: { standard: { format: "html", rules: [{ allow: {} }] } },
        sites: [{ host: "news.example", policy: "standard", maxPages: 5 }],
      },
    });
    const agent = await world.openAgent();
    expect(await agent.run()).toMatchObject({ state: "max_pages", pages: { bought: 5 } });
    for await (const document of agent.documents()) {
      expect(document).toMatchObject({ markdown: null, html: expect.stringContaining("<") });
    }
    for await (const document of agent.documents({ deriveMarkdown: true })) {
      expect(document.markdown).toMatch(/\w/);
      expect(document.markdown).not.toContain("<p>");
    }
  });
});

describe("a run that does not fit its budgets", () => {
  test("stops at the last page that fits, over several sites with overlapping budgets", async () => {
    world = await createCrawlWorld({
      sandbox: { sites: [site("a.example", 150), site("b.example", 150), site("c.example", 150)], rates: RATES },
      config: {
        budgets: [
          { scope: "all", per: "month", limit: "0.6 USD" },
          { scope: "site:a.example", per: "day", limit: "0.1 USD" },
          { scope: "run", limit: "0.5 USD" },
        ],
        sites: ["a.example", "b.example", "c.example"].map((host) => ({ host, policy: "standard" })),
      },
    });
    const agent = await world.openAgent();
    const first = await agent.run();
    expect(first.state).toBe("budget_exhausted");
    expect(world.sandbox.audit().totals.USD?.chargedMicros).toBe(Math.floor(500_000 / PRICE_MICROS) * PRICE_MICROS);
    const second = await agent.run();
    expect(second.state).toBe("budget_exhausted");
    expect(world.sandbox.audit().totals.USD?.chargedMicros).toBe(600_000);
    const spentOnA = readPurchases(world.ledgerFile).filter(({ url }) => url.includes("//a.example/"));
    expect(spentOnA.reduce((sum, { charged }) => sum + (charged ?? 0), 0)).toBeLessThanOrEqual(100_000);
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
    expect(await agent.audit()).toMatchObject({ ok: true });
  });
});
