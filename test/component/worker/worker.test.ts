import { describe, expect, test, vi } from "vitest";
import { newsSite, ONE_PRICE } from "../../doubles/cli-world.ts";
import { readPurchases } from "../../doubles/crawl-world.ts";
import { findRedisProblem } from "../../doubles/redis-server.ts";
import { createWorkerWorld } from "./worker-world.ts";

vi.setConfig({ testTimeout: 60_000 });

const PAGES = 120;
const problem = findRedisProblem();

describe.skipIf(problem !== null)("workers on other machines", () => {
  test("buy the pages of a service's run, each of them once", async () => {
    const world = await createWorkerWorld({
      sandbox: { sites: [newsSite(PAGES)], rates: ONE_PRICE, latencyMs: 10 },
      config: {
        gateway: { concurrency: 16, quoteBatchSize: 10, catalogPageSize: 50 },
        budgets: [{ scope: "all", per: "total", limit: "100 USD" }],
        sites: [{ host: "news.example", policy: "standard" }],
      },
    });
    const workers = [world.addWorker({ name: "worker:1" }), world.addWorker({ name: "worker:2" })];
    const report = await world.run();
    console.log(workers.map(({ said }) => said), world.logged.slice(-10), JSON.stringify(report).slice(0, 600));
    expect(report.state).toBe("completed");
    expect(readPurchases(world.ledgerFile).filter(({ state }) => state === "settled")).toHaveLength(PAGES);
    expect(world.sandbox.audit().charges).toHaveLength(PAGES);
    await Promise.all(workers.map(({ stop }) => stop()));
  });
});
