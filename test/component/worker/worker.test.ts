import { connect } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { KnownWorker } from "../../../src/ledger/service-ledger.ts";
import { packageVersion } from "../../../src/package-directory.ts";
import { newsSite, ONE_PRICE } from "../../doubles/cli-world.ts";
import { startCountingGateway } from "../../doubles/counting-gateway.ts";
import { readPurchases } from "../../doubles/crawl-world.ts";
import { PATIENCE } from "../../doubles/patience.ts";
import { findRedisProblem } from "../../doubles/redis-server.ts";
import { createWorkerWorld, WORKER_TOKEN, type WorkerWorld } from "./worker-world.ts";

vi.setConfig({ testTimeout: 60_000 });

const PAGES = 60;
const ACTING = { authorization: "Bearer acting-token" };
const problem = findRedisProblem();

function createWorld(gateway: Readonly<Record<string, string | number>> = {}): Promise<WorkerWorld> {
  return createWorkerWorld({
    sandbox: { sites: [newsSite(PAGES)], rates: ONE_PRICE, latencyMs: 10 },
    config: {
      gateway: { concurrency: 12, quoteBatchSize: 10, catalogPageSize: 50, ...gateway },
      budgets: [{ scope: "all", per: "total", limit: "100 USD" }],
      sites: [{ host: "news.example", policy: "standard" }],
    },
  });
}

/** What the workers have bought, by their own count. */
function boughtBy({ service }: WorkerWorld): Record<string, number> {
  return Object.fromEntries(service.workers().map(({ name, pages }) => [name, pages]));
}

/** Another process reads from the ledger what the service writes there now and then, and the page shows the same numbers. */
async function expectListed({ openAgent, call, service }: WorkerWorld): Promise<void> {
  const agent = await openAgent();
  const withoutSigns = (workers: readonly KnownWorker[]) => workers.map(({ seenAt: _, ...worker }) => worker);
  const isStill = ({ state, pagesPerSecond }: KnownWorker) => state === "idle" && pagesPerSecond === 0;
  const listed = await vi.waitUntil(async () => {
    const { workers } = await agent.status();
    const isNews = JSON.stringify(withoutSigns(workers)) === JSON.stringify(withoutSigns(service.workers()));
    return isNews && workers.every(isStill) ? workers : null;
  }, PATIENCE);
  expect(listed.map(({ name, tokenName, version }) => [name, tokenName, version])).toEqual([
    ["worker:1", "fleet", packageVersion()],
    ["worker:2", "fleet", packageVersion()],
  ]);
  const page = await call("GET", "/workers", { headers: ACTING });
  const cells = [...page.text.matchAll(/<bdi class="foreign">(worker:\d)<\/bdi>(.*?)<\/tr>/gs)].map(
    ([, name, row = ""]) => [
      name,
      ...[...row.matchAll(/<data class="count" value="([\d.]+)">/g)].map(([, value]) => Number(value)),
    ],
  );
  expect(cells).toEqual(
    listed.map(({ name, share, places, jobs, pages, pagesPerSecond }) => [
      ...[name, share.concurrency, places, share.requestsPerSecond, jobs, pages, pagesPerSecond],
    ]),
  );
  const { text } = await call("GET", "/metrics", { headers: ACTING });
  expect(text).toContain(`licet_worker_pages_total{worker="worker:1"} ${listed[0]?.pages}\n`);
  expect(text).toContain(`licet_worker_info{worker="worker:2",version="${packageVersion()}"} 1\n`);
  expect(text).toContain('licet_workers{state="idle"} 2\n');
}

describe.skipIf(problem !== null)("workers on other machines", () => {
  test("buy the pages of a service's run, each of them once", async () => {
    const world = await createWorld();
    const workers = [world.addWorker({ name: "worker:1" }), world.addWorker({ name: "worker:2" })];
    await vi.waitUntil(() => world.service.workers().length === 2, PATIENCE);
    const report = await world.run();
    expect(report).toMatchObject({ state: "completed", pagesBought: PAGES });
    await vi.waitUntil(
      () => Object.values(boughtBy(world)).reduce((sum, pages) => sum + pages, 0) > PAGES / 2,
      PATIENCE,
    );
    expect(readPurchases(world.ledgerFile).filter(({ state }) => state === "settled")).toHaveLength(PAGES);
    expect(world.sandbox.audit().charges).toHaveLength(PAGES);
    await expectListed(world);
    await Promise.all(workers.map(({ stop }) => stop()));
    expect(world.service.workers()).toEqual([]);
  });

  test("keep together to what the gateway allows, while they come and go", async () => {
    const gateway = await startCountingGateway();
    onTestFinished(gateway.close);
    const world = await createWorld({ baseUrl: gateway.url, concurrency: 6, requestsPerSecond: 60 });
    gateway.forwardTo(world.sandbox.url);
    const since = performance.now();
    const before = gateway.requests;
    const first = world.addWorker({ name: "worker:1" });
    const runId = await world.startRun();
    await vi.waitUntil(() => world.sandbox.audit().charges.length > 20, PATIENCE);
    world.addWorker({ name: "worker:2" });
    await vi.waitUntil(() => world.sandbox.audit().charges.length > 40, PATIENCE);
    await first.stop();
    world.addWorker({ name: "worker:3" });
    expect(await world.whenOver(runId)).toMatchObject({ state: "completed", pagesBought: PAGES });
    expect(gateway.mostAtOnce).toBeLessThanOrEqual(6);
    // What may start at once is a twentieth of a second's.
    const seconds = (performance.now() - since) / 1_000;
    expect(gateway.requests - before).toBeLessThanOrEqual(60 * seconds + 3);
  });

  test("all rest when the gateway asks one of them to", async () => {
    const gateway = await startCountingGateway();
    onTestFinished(gateway.close);
    const world = await createWorld({ baseUrl: gateway.url, concurrency: 8 });
    gateway.forwardTo(world.sandbox.url);
    world.addWorker({ name: "worker:1" });
    world.addWorker({ name: "worker:2" });
    const runId = await world.startRun();
    await vi.waitUntil(() => world.sandbox.audit().charges.length > 20, PATIENCE);
    gateway.restFor(1);
    expect(await world.whenOver(runId)).toMatchObject({ state: "completed", pagesBought: PAGES });
    // Those that were under way or started before the word was heard: not more than may be under way twice.
    expect(gateway.cameInRest.length).toBeLessThanOrEqual(16);
  });

  test("leave nothing in Redis but the ids of leases", async () => {
    const world = await createWorld();
    const monitor = connect(world.redis.url.replace("redis+unix://", ""));
    onTestFinished(() => void monitor.destroy());
    let text = "";
    monitor.setEncoding("utf8").on("data", (lines: string) => {
      text += lines;
    });
    monitor.write("MONITOR\r\n");
    world.addWorker();
    await world.run();
    expect(text.includes("leaseId")).toBe(true);
    const secrets = ["news.example", "articles", "sandbox-key", WORKER_TOKEN, "acting-token", world.sandbox.url];
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });

  test("that drain leave when nothing is left to do", async () => {
    const world = await createWorld();
    const runId = await world.startRun();
    const worker = world.addWorker({ isDrained: true });
    await worker.ended;
    expect((await world.whenOver(runId)).state).toBe("completed");
    expect(world.service.workers()).toEqual([]);
  });
});
