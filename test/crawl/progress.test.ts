/** The progress of real runs: what it counted at their end is what their reports say. */
import { expect, onTestFinished, test } from "vitest";
import { watchCounts } from "../../src/cli/progress/progress-counts.ts";
import { formatRun } from "../../src/cli/reports/run-summary.ts";
import type { RunOptions } from "../../src/index.ts";
import { systemClock } from "../../src/time/clock.ts";
import { type ConfigFile, type CrawlWorld, createCrawlWorld } from "../doubles/crawl-world.ts";

const PAGES = 60;

async function open(config: ConfigFile = {}, faults: Readonly<Record<string, number>> = {}): Promise<CrawlWorld> {
  const world = await createCrawlWorld({
    sandbox: {
      sites: ["news.example", "b.example"].map((host) => ({ kind: "synthetic", host, pages: PAGES, bodyBytes: 200 })),
      rates: { default: [{ license: "ON_DEMAND_LICENSE", price: "0.01 USD" }] },
      faults,
    },
    config: {
      gateway: { fee: { percent: 10 }, quoteBatchSize: 20 },
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      policies: { standard: { rules: [{ deny: { urls: ["/articles/*3"] } }, { allow: {} }] } },
      sites: ["news.example", "b.example"].map((host) => ({ host, policy: "standard" })),
      ...config,
    },
  });
  onTestFinished(world.close);
  return world;
}

async function runWatched(world: CrawlWorld, options: RunOptions = {}) {
  const agent = await world.openAgent();
  const { counts, stop } = watchCounts(agent, systemClock);
  const report = await agent.run(options);
  stop();
  const { settledMicros = 0, feeMicros = 0 } = report.spend.USD ?? {};
  expect(counts).toMatchObject({
    bought: report.pages.bought,
    failed: report.pages.failed,
    inDoubt: report.pages.inDoubt,
    denied: report.pages.denied,
    hostsInWork: [],
  });
  expect(counts.spent.get("USD") ?? 0).toBe(settledMicros + feeMicros);
  expect(counts.done).toBe(counts.total);
  return { counts, report };
}

const SITES = { sites: ["news.example", "b.example"].map((host) => ({ host, policy: "standard", maxPages: 7 })) };
const BUDGET = { budgets: [{ scope: "all", per: "month", limit: "0.25 USD" }] };

test.each<[string, ConfigFile, RunOptions, Readonly<Record<string, number>>]>([
  ["goes through", {}, {}, {}],
  ["ends at its number of pages", {}, { maxPages: 17 }, {}],
  ["ends at its largest spend", {}, { maxSpend: "0.20 USD" }, {}],
  ["ends at a budget", BUDGET, {}, {}],
  ["ends at the pages of its sites", SITES, {}, {}],
  ["buys from the best down under a budget", BUDGET, { order: "cheapest" }, {}],
  ["has pages in doubt", {}, { maxPages: 40 }, { "content:reset-after-charge": 0.2 }],
  ["has tokens that are refused", {}, { order: "cheapest" }, { "token:token-500": 0.3 }],
])("of a run that %s", async (_name, config, options, faults) => {
  const { counts, report } = await runWatched(await open(config, faults), options);
  // A page that a limit left is not done.
  const left = ["budget_exhausted", "max_pages", "max_spend"].reduce(
    (sum, reason) => sum + (report.denials[reason] ?? 0),
    0,
  );
  const { bought, failed, inDoubt, denied } = report.pages;
  expect(counts.done).toBe(bought + failed + inDoubt + denied - left);
});

test("of a resumed run begins at its figures; its time is work, and its pause is apart", async () => {
  const world = await open();
  const first = await world.openAgent();
  const stop = new AbortController();
  first.on("page.bought", () => stop.abort());
  const { runId, durationMs } = await first.run({ signal: stop.signal });
  await first.close();
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  const { report } = await runWatched(world, { resume: runId });
  expect(report.state).toBe("completed");
  expect(report.durationMs - report.workedMs).toBeGreaterThanOrEqual(1_100);
  expect(report.workedMs).toBeGreaterThanOrEqual(durationMs);
  expect(formatRun(report)).toMatch(/^Time: {2}\d+\.\d s, and \d+\.\d s of pauses$/m);
});

test("a report names doubts first, and limits apart", async () => {
  const world = await open(SITES, { "content:reset-after-charge": 0.5 });
  const { report } = await runWatched(world);
  expect(report.pages.inDoubt).toBeGreaterThan(0);
  const text = formatRun(report);
  const [, toCheck = ""] = /To check:\n([\s\S]*?)\n\n/.exec(text) ?? [];
  expect(toCheck.split("\n")[0]).toMatch(
    new RegExp(`^  \\d+ pages? in doubt, perhaps charged: licet runs ${report.runId} --state in_doubt`),
  );
  expect(toCheck).not.toContain("max_pages");
  expect(text).toMatch(/Ended by a limit:\n {2}news\.example was stopped \(max_pages\)/);
});
