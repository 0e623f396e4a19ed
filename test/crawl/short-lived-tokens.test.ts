import { afterEach, expect, test } from "vitest";
import { compareAccounts } from "../doubles/compare-accounts.ts";
import { type CrawlWorld, createCrawlWorld } from "../doubles/crawl-world.ts";

let world: CrawlWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

const PAGES = 600;
const START = Date.UTC(2026, 0, 1);

/** The gateway's time is its work: one ms for each token issued and each one used. Real time has no say in what expires. */
const workClock = {
  now: () => {
    const { issued, spent } = world?.sandbox.audit().tokens ?? { issued: 0, spent: 0 };
    return START + issued + spent;
  },
  sleep: async () => {},
};

test("every page is bought although all tokens together take longer than the life of a token", async () => {
  world = await createCrawlWorld({
    sandbox: {
      sites: [{ kind: "synthetic", host: "news.example", pages: PAGES, bodyBytes: 200 }],
      rates: { default: [{ license: "ON_DEMAND_LICENSE", price: "0.001 USD" }] },
      tokenLifeMs: PAGES / 2,
      clock: workClock,
    },
    config: {
      gateway: { requestsPerSecond: 120 },
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      sites: [{ host: "news.example", policy: "standard" }],
    },
  });
  const agent = await world.openAgent();
  const { pages, sites } = await agent.run();
  expect(pages).toMatchObject({ bought: PAGES, failed: 0, inDoubt: 0 });
  expect(sites[0]?.stop).toBeNull();
  expect(world.sandbox.audit().tokens).toMatchObject({ issued: PAGES, spent: PAGES });
  expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
});
