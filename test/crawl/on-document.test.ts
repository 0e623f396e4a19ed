/** `agent.run({ onDocument })`, and `agent.documents({ run, site, since })`, which finds what it missed. */
import { afterEach, expect, test } from "vitest";
import type { DocumentFilter } from "../../src/agent/documents/document-filter.ts";
import type { Agent, StoredDocument } from "../../src/index.ts";
import { compareAccounts } from "../doubles/compare-accounts.ts";
import { type CrawlWorld, createCrawlWorld } from "../doubles/crawl-world.ts";

const PAGES = 40;

let world: CrawlWorld;
afterEach(() => world.close());

async function openAgent(): Promise<Agent> {
  world = await createCrawlWorld({
    sandbox: {
      sites: [{ kind: "synthetic", host: "news.example", pages: PAGES, bodyBytes: 1_000 }],
      rates: { default: [{ license: "ON_DEMAND_LICENSE", price: "0.003 USD" }] },
    },
    config: {
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      sites: [{ host: "news.example", policy: "standard" }],
    },
  });
  return world.openAgent();
}

async function purchasesOf(agent: Agent, filter: DocumentFilter): Promise<number[]> {
  const found: number[] = [];
  for await (const { purchaseId } of agent.documents(filter)) {
    found.push(purchaseId);
  }
  return found.sort((a, b) => a - b);
}

test("each document is given once, as documents() returns it, before the run ends", async () => {
  const agent = await openAgent();
  const given: StoredDocument[] = [];
  const { runId, pages } = await agent.run({ onDocument: (document) => given.push(document) });
  expect(pages.bought).toBe(PAGES);
  const stored = [];
  for await (const document of agent.documents({ run: runId })) {
    stored.push(document);
  }
  expect(given.sort((a, b) => a.purchaseId - b.purchaseId)).toEqual(stored);
});

test("a slow program slows the buying down: pages under way and calls at once are limited", async () => {
  const agent = await openAgent();
  let bought = 0;
  let given = 0;
  let inCall = 0;
  const most = { waiting: 0, inCall: 0 };
  agent.on("page.bought", () => bought++);
  await agent.run({
    onDocumentConcurrency: 2,
    onDocument: async () => {
      most.inCall = Math.max(most.inCall, ++inCall);
      await new Promise((resolve) => setImmediate(resolve));
      most.waiting = Math.max(most.waiting, bought - given);
      given++;
      inCall--;
    },
  });
  expect(given).toBe(PAGES);
  expect(most.inCall).toBe(2);
  expect(most.waiting).toBeLessThanOrEqual(2 * 4);
});

test("a call that fails ends the run; the missed documents are stored, and the next run buys the rest", async () => {
  const agent = await openAgent();
  const taken = new Set<number>();
  const cause = new Error("the index is down");
  const failing = agent.run({
    onDocumentConcurrency: 1,
    onDocument: ({ purchaseId }) => {
      if (taken.size === 3) {
        throw cause;
      }
      taken.add(purchaseId);
    },
  });
  await expect(failing).rejects.toMatchObject({ code: "DOCUMENT_NOT_TAKEN", cause });
  const [failed] = (await agent.status()).runs;
  expect(failed).toMatchObject({ state: "failed" });
  const runId = failed?.runId ?? "";
  const bought = await purchasesOf(agent, { run: runId });
  expect(bought.length).toBeGreaterThan(3);
  expect(bought.length).toBeLessThanOrEqual(3 + 4);
  expect(bought).toEqual(expect.arrayContaining([...taken]));

  const resumed = await agent.run({ resume: runId, onDocument: ({ purchaseId }) => taken.add(purchaseId) });
  expect(resumed.pages.bought).toBe(PAGES);
  const missed = (await purchasesOf(agent, { run: runId })).filter((purchaseId) => !taken.has(purchaseId));
  expect(missed).toEqual(bought.filter((purchaseId) => !taken.has(purchaseId)));
  expect(taken.size + missed.length).toBe(PAGES);
  expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  expect(await agent.audit()).toMatchObject({ ok: true });
});

test("documents() takes a site, an instant and a run, and refuses a site that nobody knows", async () => {
  const agent = await openAgent();
  const before = new Date();
  const { runId } = await agent.run({ maxPages: 5 });
  const all = await purchasesOf(agent, {});
  for (const filter of [{ site: "NEWS.example" }, { run: runId }, { since: before }, { since: before.toISOString() }]) {
    expect(await purchasesOf(agent, filter)).toEqual(all);
  }
  expect(await purchasesOf(agent, { since: Date.now() + 60_000, run: runId })).toEqual([]);
  await expect(purchasesOf(agent, { site: "new.example" })).rejects.toMatchObject({
    code: "USAGE_INVALID",
    hint: 'did you mean "news.example"?',
  });
  await expect(purchasesOf(agent, { run: "run_unknown" })).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
});
