/** Two `licet run` on one ledger at once: neither disturbs the other, and a page of both is bought once. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { CliResult } from "../doubles/cli-process.ts";
import { newsSite, ONE_PRICE } from "../doubles/cli-world.ts";
import { findRedisProblem, type RedisServer, startRedisServer } from "../doubles/redis-server.ts";
import { type CrashOrder, killAt } from "./crash-order.ts";
import { CRASH_TIMEOUT_MS, type CrashWorld, createCrashWorld, findImpoliteness } from "./crash-world.ts";
import { chooseOne, KILL_SEED } from "./kill-seed.ts";

vi.setConfig({ testTimeout: CRASH_TIMEOUT_MS });

const PAGES = 25;
const problem = findRedisProblem();
let redis: RedisServer | null = null;
let world: CrashWorld | null = null;

beforeAll(async () => {
  redis = problem === null ? await startRedisServer() : null;
});
afterEach(async () => {
  await world?.close();
  world = null;
});
afterAll(async () => {
  await redis?.stop();
});

const SHOP = { ...newsSite(PAGES), host: "shop.example" };

async function open(queue: string): Promise<CrashWorld> {
  world = await createCrashWorld({
    sandbox: { sites: [newsSite(PAGES), SHOP], rates: ONE_PRICE, latencyMs: 8 },
    config: {
      queue: { url: queue === "redis" ? (redis?.url ?? "") : "embedded" },
      gateway: { concurrency: 3, quoteBatchSize: 5, catalogPageSize: 10 },
      reporting: { batchSize: 7 },
      sites: [
        { host: "news.example", policy: "standard" },
        { host: "shop.example", policy: "standard" },
      ],
    },
  });
  return world;
}

/** All at once, to their ends. */
async function runTogether({ start }: CrashWorld, ...runs: readonly (readonly [string[], CrashOrder?])[]) {
  const results = await Promise.all(runs.map(([args, order]) => start(args, order).result));
  for (const result of results) {
    expect(findImpoliteness(result)).toEqual([]);
  }
  return results;
}

const saying = (results: readonly CliResult[]) => results.map(({ stderr, stdout }) => stderr + stdout).join("\n");

const QUEUES = problem === null ? ["redis", "embedded"] : ["embedded"];
const without = problem === null ? "" : `, without Redis: ${problem}`;

describe.each(chooseOne(QUEUES))(`on %s (LICET_KILL_SEED=${KILL_SEED}${without}): two runs at once`, (queue) => {
  test("of different sites both complete", async () => {
    const opened = await open(queue);
    const results = await runTogether(opened, [["run", "news.example"]], [["run", "shop.example"]]);
    expect(
      results.map(({ code }) => code),
      saying(results),
    ).toEqual([0, 0]);
    await opened.expectMatchingAccounts({ charges: 2 * PAGES });
  });

  test("of the same sites: one does the work, and the other says that it is alive", async () => {
    const opened = await open(queue);
    const results = await runTogether(opened, [["run"]], [["run"]]);
    // Where the one had ended before the other began, both end well.
    expect(["0,0", "0,1"], saying(results)).toContain(
      results
        .map(({ code }) => code)
        .sort()
        .join(),
    );
    await opened.expectMatchingAccounts({ charges: 2 * PAGES });
  });

  test("of which one is killed: the other completes, and the killed one resumes", async () => {
    const opened = await open(queue);
    const results = await runTogether(
      opened,
      [["run", "news.example"]],
      [["run", "shop.example"], killAt("settlePurchase", "before", 9)],
    );
    // Where the one began after the other was killed, it has taken over its pages, and says that one of them is in doubt.
    expect(["0,", "4,"], saying(results)).toContain(results.map(({ code }) => code).join());
    await opened.settle({ charges: 2 * PAGES });
  });

  test("that resume the same run: one does the work, and each page is bought once", async () => {
    const opened = await open(queue);
    await opened.crawl(killAt("settlePurchase", "committed", 5));
    const results = await runTogether(opened, [["run", "--resume"]], [["run", "--resume"]]);
    expect(
      results.map(({ code }) => code).every((code) => code === 0 || code === 1 || code === 4),
      saying(results),
    ).toBe(true);
    await opened.settle({ charges: 2 * PAGES });
  });
});
