/** A paused site buys nothing in any run, also in the one under way, until the pause ends. And what the funnel of a run says of it. */
import { afterEach, expect, test } from "vitest";
import type { Agent } from "../../src/index.ts";
import { compareAccounts } from "../doubles/compare-accounts.ts";
import { type CrawlWorld, createCrawlWorld } from "../doubles/crawl-world.ts";

const PAGES = 60;
const HOST = "news.example";
const WHY = { by: "anna", reason: "the contract is renewed" };

let world: CrawlWorld;
afterEach(() => world.close());

async function openAgent(): Promise<Agent> {
  world = await createCrawlWorld({
    sandbox: {
      sites: [{ kind: "synthetic", host: HOST, pages: PAGES, bodyBytes: 500 }],
      rates: { default: [{ license: "ON_DEMAND_LICENSE", price: "0.003 USD" }] },
    },
    config: {
      // Far fewer pages under way than there are: the pause comes before the last one.
      gateway: { concurrency: 4 },
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      sites: [{ host: HOST, policy: "standard" }],
    },
  });
  return world.openAgent();
}

test("the run under way stops, no later run buys, and after the pause the rest is bought once", async () => {
  const agent = await openAgent();
  let isPaused: Promise<unknown> | null = null;
  const first = await agent.run({
    onDocument: async () => {
      isPaused ??= agent.pauseSite(HOST, WHY);
      await isPaused;
    },
  });
  expect(first.sites).toMatchObject([{ stop: "paused" }]);
  expect(first.pages.bought).toBeLessThan(PAGES);
  expect(Object.values(first.spend)).toMatchObject([{ reservedMicros: 0 }]);
  expect((await agent.status()).paused).toMatchObject([{ host: HOST, ...WHY }]);

  const second = await agent.run();
  expect(second.sites).toMatchObject([{ stop: "paused" }]);
  const spentThen = (await agent.status()).today.spend;
  expect(Object.values(spentThen)).toMatchObject([{ bought: first.pages.bought }]);

  await agent.unpauseSite(HOST, WHY);
  const third = await agent.run({ fresh: true });
  expect(first.pages.bought + third.pages.bought).toBe(PAGES);
  expect((await agent.audit()).violations).toEqual([]);
  expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
});

test("the funnel of a run has the money of each step, and the configuration that the run had", async () => {
  const agent = await openAgent();
  const { runId } = await agent.run({ by: "anna", reason: "the first of the month" });
  const { steps, configurations, acts, speed } = await agent.runFunnel(runId);
  expect(steps.map(({ step, count }) => [step, count])).toEqual([
    ["seen", PAGES],
    ["quoted", PAGES],
    ["allowed", PAGES],
    ["bought", PAGES],
    ["reported", PAGES],
  ]);
  expect(steps.map(({ micros }) => micros)).toEqual([
    {},
    {},
    { USD: PAGES * 3_000 },
    { USD: PAGES * 3_000 },
    { USD: 0 },
  ]);
  expect(configurations).toMatchObject([{ configuration: { sites: { [HOST]: { policy: "standard" } } } }]);
  expect(JSON.stringify(configurations)).not.toMatch(/apiKey|token/i);
  expect(acts).toMatchObject([{ kind: "run_started", by: "anna", reason: "the first of the month" }]);
  expect(speed.workedMs).toBeGreaterThanOrEqual(0);
  expect((await agent.runs({ kind: "walk", from: "2000-01-01", run: runId.slice(0, 8) })).runs).toMatchObject([
    { runId },
  ]);
  expect((await agent.runs({ kind: "webhook" })).total).toBe(0);
});

test("runs are read page by page, by a cursor", async () => {
  const agent = await openAgent();
  const made = [];
  for (let run = 0; run < 3; run++) {
    made.push((await agent.run()).runId);
  }
  const newest = await agent.runs({ limit: 2 });
  expect(newest.runs.map(({ runId }) => runId)).toEqual([made[2], made[1]]);
  const rest = await agent.runs({ limit: 2, cursor: newest.nextCursor ?? "" });
  expect([rest.runs.map(({ runId }) => runId), rest.nextCursor, rest.total]).toEqual([[made[0]], null, 3]);
});
