/** `licet sites`: how each site stands, and what its prices are. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SiteDetails, SitesReport } from "../../src/agent/sites/sites-report.ts";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE, PRICE_MICROS } from "../doubles/cli-world.ts";

const PAGES = 4;

let world: CliWorld;
beforeAll(async () => {
  world = await createCliWorld(
    { sites: [newsSite(PAGES)], rates: ONE_PRICE },
    {
      policies: { standard: { rules: [{ allow: { maxPrice: "0.001 USD" } }] } },
      sites: [
        { host: "news.example", policy: "standard", schedule: "0 3 * * *" },
        { host: "later.example", policy: "standard" },
      ],
    },
  );
});
afterAll(() => world.close());

const sites = async (...args: string[]) => (await world.json("sites", ...args)).value as SitesReport;
const details = async (...args: string[]) => (await world.json("sites", ...args)).value as SiteDetails;

test("before any run, has the sites of the configuration, page by page", async () => {
  expect((await sites()).sites).toMatchObject([
    { host: "later.example", state: "new", nextSlotAt: null, policyName: "standard", lastRun: null },
    { host: "news.example", state: "new", nextSlotAt: expect.stringMatching(/T03:00:00/) },
  ]);
  const first = await sites("--limit", "1");
  expect(first).toMatchObject({ sites: [{ host: "later.example" }], nextCursor: "later.example" });
  expect(await sites("--limit", "1", "--cursor", "later.example")).toMatchObject({
    sites: [{ host: "news.example" }],
    nextCursor: null,
  });
  expect((await details("news.example")).prices).toMatchObject({ pages: 0, buckets: [] });
  expect((await world.cli("sites", "none.example")).stderr).toContain(
    "none.example is not a site of the configuration",
  );
});

test("says what another maxPrice would have bought, and buys just that under it", async () => {
  await world.cli("run", "news.example");
  const { site, prices, days } = await details("news.example", "--max-price", "0.01 USD");
  expect(site).toMatchObject({ state: "ready", stored: { pages: 0 }, spend: {}, lastRun: { stop: null } });
  expect(days).toEqual([]);
  expect(prices).toMatchObject({
    pages: PAGES,
    limits: [{ ruleIndex: 0, maxPriceMicros: 1_000 }],
    never: [],
    asConfigured: { pages: 0, costMicros: 0 },
    asked: { maxPriceMicros: PRICE_MICROS, pages: PAGES, costMicros: PAGES * PRICE_MICROS },
  });
  expect((await details("news.example", "--max-price", "0.009999 USD")).prices?.asked?.pages).toBe(0);
  const text = (await world.cli("sites", "news.example", "--max-price", "0.01 USD")).stdout;
  expect(text).toContain("As configured, the rules buy 0 pages of these for 0.00 USD");
  expect(text).toContain("With maxPrice 0.01 USD they would buy 4 pages of these for 0.04 USD");
  await world.configure({ policies: { standard: { rules: [{ allow: { maxPrice: "0.01 USD" } }] } } });
  await world.cli("run", "news.example");
  const bought = await details("news.example");
  const charged = world.sandbox.audit().charges.reduce((sum, { priceMicros }) => sum + priceMicros, 0);
  expect(charged).toBe(prices?.asked?.costMicros);
  expect(bought.site).toMatchObject({
    stored: { pages: PAGES, isAtLeast: false },
    spend: { USD: { settledMicros: charged } },
  });
  expect(bought.days).toMatchObject([{ settledMicros: charged, bought: PAGES }]);
  expect(bought.ages[0]).toEqual({ days: 1, pages: PAGES, isAtLeast: false });
  expect((await world.cli("sites")).stdout).toMatch(/news\.example +ready +4 /);
});
