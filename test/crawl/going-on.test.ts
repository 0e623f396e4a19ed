/** What holds for a run however it goes on: its own choices, and what the configuration says now. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, expect, test } from "vitest";
import type { Agent, RunOptions, RunReport } from "../../src/index.ts";
import { compareAccounts } from "../doubles/compare-accounts.ts";
import { type ConfigFile, type CrawlWorld, createCrawlWorld, readPurchases } from "../doubles/crawl-world.ts";

const PAGES = 40;
const BUDGETS = [{ scope: "all", per: "month", limit: "100 USD" }];
const NEWS = { host: "news.example", policy: "standard" };
const SHOP = { host: "shop.example", policy: "standard" };

let world: CrawlWorld;
afterEach(() => world.close());

async function openAgent(config: ConfigFile): Promise<Agent> {
  world = await createCrawlWorld({
    sandbox: {
      sites: [NEWS, SHOP].map(({ host }) => ({ kind: "synthetic", host, pages: PAGES, bodyBytes: 200 }) as const),
      rates: { default: [{ license: "ON_DEMAND_LICENSE", price: "0.001 USD" }] },
    },
    config: { budgets: BUDGETS, ...config },
  });
  return world.openAgent();
}

async function reopen(agent: Agent, config: ConfigFile): Promise<Agent> {
  await agent.close();
  await world.configure({ budgets: BUDGETS, ...config });
  return world.openAgent();
}

/** A person presses Ctrl-C when some documents are there. */
function runAndInterrupt(agent: Agent, options: RunOptions = {}, documents = 3): Promise<RunReport> {
  const interrupt = new AbortController();
  let taken = 0;
  const onDocument = () => {
    taken += 1;
    if (taken === documents) {
      interrupt.abort();
    }
  };
  return agent.run({ ...options, onDocument, onDocumentConcurrency: 1, signal: interrupt.signal });
}

const bought = () => readPurchases(world.ledgerFile).filter(({ state }) => state === "settled");

test("the same list under the same maxSpend buys on each night what is left, and the summary names the run before", async () => {
  const standard = { rules: [{ allow: {} }] };
  const agent = await openAgent({
    sites: [{ ...NEWS, refresh: { when: "always" } }],
    policies: { standard },
  });
  const file = join(world.directory, "pages.txt");
  const lines = Array.from(
    { length: 25 },
    (_, index) => `https://news.example/articles/${String(index).padStart(7, "0")}`,
  );
  await writeFile(file, lines.join("\n"));
  const nights: RunReport[] = [];
  for (let night = 0; night < 3; night += 1) {
    nights.push(await agent.run({ list: { file }, maxSpend: "0.010 USD" }));
  }
  expect(nights.map(({ state, pages }) => [state, pages.bought])).toEqual([
    ["max_spend", 10],
    ["max_spend", 10],
    ["completed", 5],
  ]);
  const [first, second] = nights.map(({ runId }) => runId);
  expect(nights.map(({ list }) => list?.goesOnFrom)).toEqual([null, first, second]);
  expect(new Set(bought().map(({ url }) => url)).size).toBe(25);
  // The list is done: the next night is about the pages as they are then.
  expect(await agent.run({ list: { file } })).toMatchObject({ pages: { bought: 25 }, list: { goesOnFrom: null } });
  await compareAccounts(world.sandbox, world.ledgerFile);
});

test("a list that a person stopped, or that a budget ended, goes on as the same run", async () => {
  const agent = await openAgent({ sites: [NEWS], budgets: [{ scope: "all", per: "month", limit: "0.010 USD" }] });
  const file = join(world.directory, "pages.txt");
  const lines = Array.from(
    { length: 25 },
    (_, index) => `https://news.example/articles/${String(index).padStart(7, "0")}`,
  );
  await writeFile(file, lines.join("\n"));
  const stopped = await runAndInterrupt(agent, { list: { file } });
  expect(stopped).toMatchObject({ state: "interrupted" });
  const spent = await agent.run({ list: { file } });
  expect(spent).toMatchObject({ runId: stopped.runId, resumed: true, state: "budget_exhausted" });
  const richer = await reopen(agent, { sites: [NEWS] });
  const done = await richer.run({ list: { file } });
  expect(done).toMatchObject({ runId: stopped.runId, state: "completed", pages: { bought: 25 } });
});

test("what the configuration excludes by now is not bought by a resumed run, with its reason", async () => {
  const agent = await openAgent({ sites: [NEWS] });
  const stopped = await runAndInterrupt(agent);
  const before = bought().length;
  expect(before).toBeLessThan(PAGES);
  const strict = await reopen(agent, { sites: [{ ...NEWS, exclude: ["/articles/**"] }] });
  const resumed = await strict.run({ resume: stopped.runId });
  expect(resumed).toMatchObject({ runId: stopped.runId, resumed: true, state: "completed" });
  expect(bought()).toHaveLength(before);
  expect(resumed.denials.no_rule_matched).toBeGreaterThan(0);
  expect(await strict.audit()).toMatchObject({ ok: true });
  await compareAccounts(world.sandbox, world.ledgerFile);
});

test("a run waits for the configuration that has its sites, and is never completed with pages left", async () => {
  const agent = await openAgent({ sites: [NEWS, SHOP] });
  const stopped = await runAndInterrupt(agent);
  expect(stopped.state).toBe("interrupted");
  const other = await reopen(agent, { sites: [{ host: "other.example", policy: "standard" }] });
  const before = bought().length;
  const waiting = await other.run({ resume: stopped.runId });
  expect(waiting).toMatchObject({ state: "interrupted", reason: expect.stringContaining("are not configured here") });
  expect(bought()).toHaveLength(before);
  const half = await reopen(other, { sites: [NEWS] });
  const partly = await half.run({ resume: stopped.runId });
  expect(partly).toMatchObject({ state: "interrupted", reason: expect.stringContaining("shop.example is not") });
  const whole = await reopen(half, { sites: [NEWS, SHOP] });
  const done = await whole.run();
  expect(done).toMatchObject({ runId: stopped.runId, state: "completed", pages: { bought: 2 * PAGES } });
  expect(await whole.audit()).toMatchObject({ ok: true });
  await compareAccounts(world.sandbox, world.ledgerFile);
});

test("a run keeps the order that it was begun with", async () => {
  const agent = await openAgent({ sites: [NEWS] });
  const stopped = await runAndInterrupt(agent, { order: "newest" });
  expect(readOrder(stopped.runId)).toBe("newest");
  expect(await agent.run()).toMatchObject({ runId: stopped.runId, state: "completed" });
  expect(readOrder(stopped.runId)).toBe("newest");
  expect(await agent.audit()).toMatchObject({ ok: true });
});

function readOrder(runId: string): unknown {
  const database = new Database(world.ledgerFile, { readonly: true });
  try {
    return database.prepare("SELECT run_order FROM run WHERE name = ?").pluck().get(runId);
  } finally {
    database.close();
  }
}
