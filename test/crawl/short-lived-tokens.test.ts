import { afterEach, expect, test } from "vitest";
import { compareAccounts } from "../support/compare-accounts.ts";
import { type CrawlWorld, createCrawlWorld } from "../support/crawl-world.ts";

let world: CrawlWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

const PAGES = 200;

/** All tokens first would take PAGES / 60 s: longer than a token lives, so that the first of them would be refused. */
test("every page is bought although all tokens together take longer than a token lives", async () => {
  world = await createCrawlWorld({
    sandbox: {
      sites: [{ kind: "synthetic", host: "news.example", pages: PAGES, bodyBytes: 200 }],
      rates: { default: [{ license: "ON_DEMAND_LICENSE", price: "0.001 USD" }] },
      tokenLifeMs: 2_000,
    },
    config: {
      gateway: { requestsPerSecond: 60 },
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      sites: [{ host: "news.example", policy: "standard" }],
    },
  });
  const agent = await world.openAgent();
  const { pages, sites } = await agent.run();
  expect(pages).toMatchObject({ acquired: PAGES, failed: 0, inDoubt: 0 });
  expect(sites[0]?.stop).toBeNull();
  const { tokens } = world.sandbox.audit();
  expect(tokens).toMatchObject({ issued: PAGES, spent: PAGES });
  expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
});
