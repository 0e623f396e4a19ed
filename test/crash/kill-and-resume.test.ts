import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { compareAccounts, compareReports } from "../doubles/compare-accounts.ts";
import { type CrawlWorld, createCrawlWorld, readPurchases } from "../doubles/crawl-world.ts";

const MAIN = resolve("dist/src/cli/licet.js");
const PAGES = 400;
/** After so many more charges each process is killed. */
const KILL_AFTER_CHARGES = [1, 127, 75];

let world: CrawlWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

/** Runs the command line, and kills the process without warning as soon as `killWhen` holds. */
function runLicet(configFile: string, args: readonly string[], killWhen: () => boolean): Promise<number | null> {
  const child = spawn(process.execPath, [MAIN, ...args, "--config", configFile, "--json"], { stdio: "ignore" });
  const watch = setInterval(() => killWhen() && child.kill("SIGKILL"), 1);
  return new Promise((done) => {
    child.once("exit", (code) => {
      clearInterval(watch);
      done(code);
    });
  });
}

test("a run killed repeatedly resumes to its end, with no page bought twice and every charge accounted for", async () => {
  const { sandbox, configFile, ledgerFile, openAgent } = await openWorld();
  const agent = await openAgent();
  for (const [index, step] of KILL_AFTER_CHARGES.entries()) {
    const before = sandbox.audit().charges.length;
    const args = index === 0 ? ["run"] : ["run", "--resume"];
    expect(await runLicet(configFile, args, () => sandbox.audit().charges.length >= before + step)).toBeNull();
  }
  const report = await agent.run({ resume: "newest" });
  const purchases = readPurchases(ledgerFile);
  const doubts = purchases.filter(({ state }) => state === "in_doubt").length;
  expect(report).toMatchObject({ state: "completed", pages: { inDoubt: doubts } });
  // What a killed process had only reserved is released and decided anew: of each page, one purchase is left that was sent.
  const bought = purchases.filter(({ state }) => state !== "released");
  expect(bought).toHaveLength(PAGES);
  expect(new Set(bought.map(({ url }) => url)).size).toBe(PAGES);
  expect(bought.filter(({ state }) => state !== "settled" && state !== "in_doubt")).toEqual([]);
  expect(purchases.filter(({ state, charged }) => state === "released" && charged !== null)).toEqual([]);
  expect(sandbox.audit().charges).toHaveLength(PAGES);
  expect(compareAccounts(sandbox, ledgerFile)).toEqual([]);
  expect(compareReports(sandbox, ledgerFile)).toEqual([]);
  expect(await agent.audit()).toMatchObject({ ok: true, violations: [] });
});

async function openWorld(): Promise<CrawlWorld> {
  world = await createCrawlWorld({
    sandbox: {
      sites: [{ kind: "synthetic", host: "news.example", pages: PAGES, bodyBytes: 1_000 }],
      rates: { default: [{ license: "ON_DEMAND_LICENSE", price: "0.003 USD" }] },
      latencyMs: 5,
    },
    config: {
      gateway: { concurrency: 8, quoteBatchSize: 50 },
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      reporting: { batchSize: 20 },
      sites: [{ host: "news.example", policy: "standard" }],
    },
  });
  return world;
}
