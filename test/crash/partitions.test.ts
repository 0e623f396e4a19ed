/**
 * `licet worker` as processes, on ways that fail as networks do: to the service, to Redis and to the gateway. Nothing hangs, and both books agree
 * afterwards.
 */
import type { NetConnectOpts } from "node:net";
import Database from "better-sqlite3";
import { afterEach, describe, expect, test, vi } from "vitest";
import { packageVersion } from "../../src/package-directory.ts";
import type { RunningCli } from "../doubles/cli-process.ts";
import { newsSite, ONE_PRICE } from "../doubles/cli-world.ts";
import { type CountingGateway, startCountingGateway } from "../doubles/counting-gateway.ts";
import { PATIENCE } from "../doubles/patience.ts";
import { findRedisProblem, type RedisServer, startRedisServer } from "../doubles/redis-server.ts";
import { callService } from "../doubles/service-world.ts";
import { startTcpProxy, type TcpProxy } from "../doubles/tcp-proxy.ts";
import { closedPort } from "./closed-port.ts";
import {
  CRASH_TIMEOUT_MS,
  type CrashWorld,
  createCrashWorld,
  findImpoliteness,
  hasUnfinishedRun,
  untilStopped,
} from "./crash-world.ts";

/** Drawn faults beside those that are always tried. */
const DRAWN = Number(process.env.LICET_PARTITIONS ?? 0);
const PAGES = 400 + 20 * DRAWN;
const PLACES = 8;
/** The same times as in the product, shorter: what is waited for is the end of a lease. */
const ORDER = {
  limits: { leaseMs: 6_000, flushLeaseMs: 2_000, acquireBatchSize: 8 },
  tuning: { workerLeaseMs: 3_000, serviceLeaseMs: 3_000 },
};
const ACTING = { authorization: "Bearer a-token-of-this-test" };
const WORKING = { authorization: "Bearer a-worker-of-this-test", "licet-version": packageVersion() };
const WORKER_ENV = "export LICET_API_KEY=sandbox-key LICET_WORKER_TOKEN=a-worker-of-this-test";
/** What a machine with other work to do needs. */
const LONG_PATIENCE = { ...PATIENCE, timeout: CRASH_TIMEOUT_MS };
const problem = findRedisProblem();
vi.setConfig({ testTimeout: CRASH_TIMEOUT_MS + 30_000 * DRAWN });

let closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.reverse()) {
    await close();
  }
  closing = [];
});

/** A worker, and its ways to the others. */
interface WayedWorker extends RunningCli {
  readonly toService: TcpProxy;
  readonly toRedis: TcpProxy;
}

async function open() {
  const redis: RedisServer = await startRedisServer();
  closing.push(() => redis.stop());
  const socket: NetConnectOpts = { path: redis.url.replace("redis+unix://", "") };
  const gateway: CountingGateway = await startCountingGateway();
  closing.push(() => gateway.close());
  const proxy = async (target: NetConnectOpts): Promise<TcpProxy> => {
    const started = await startTcpProxy(target);
    closing.push(() => started.close());
    return started;
  };
  const toGateway = await proxy({ host: "127.0.0.1", port: Number(new URL(gateway.url).port) });
  const world: CrashWorld = await createCrashWorld({
    sandbox: { sites: [newsSite(PAGES)], rates: ONE_PRICE, latencyMs: 200 },
    config: {},
  });
  closing.push(() => world.close());
  gateway.forwardTo(world.sandbox.url);
  let port = 0;
  const serve = async (): Promise<RunningCli & { readonly url: string }> => {
    port = await closedPort();
    await world.configure({
      gateway: {
        baseUrl: `http://127.0.0.1:${toGateway.port}`,
        concurrency: PLACES,
        quoteBatchSize: 10,
        catalogPageSize: 100,
        timeoutMs: 1_000,
      },
      queue: { url: redis.url },
      serve: {
        port,
        token: "a-token-of-this-test",
        tokens: [{ name: "fleet", token: "a-worker-of-this-test", can: "work" }],
      },
    });
    const service = world.start(["serve", "--debug"], ORDER);
    await service.waitFor(/the service listens on/);
    return { ...service, url: `http://127.0.0.1:${port}` };
  };
  const addWorker = async (): Promise<WayedWorker> => {
    const [toService, toRedis] = await Promise.all([proxy({ host: "127.0.0.1", port }), proxy(socket)]);
    const [serveUrl, queueUrl] = [`http://127.0.0.1:${toService.port}`, `redis://127.0.0.1:${toRedis.port}`];
    const worker = world.start(["worker", "--serve", serveUrl, "--queue", queueUrl], ORDER, WORKER_ENV);
    await worker.waitFor(/works for the service/);
    return { ...worker, toService, toRedis };
  };
  const bought = () => world.sandbox.audit().charges.length;
  /** Until so many more pages were bought, whoever did it. */
  const progress = async (pages: number) => {
    const wanted = Math.min(PAGES, bought() + pages);
    await vi.waitUntil(() => bought() >= wanted, LONG_PATIENCE);
  };
  /** Until each of them has bought something since, or nothing is left. A worker that came again counts on. */
  const untilAtWork = async (service: { readonly url: string }, ...workers: readonly RunningCli[]) => {
    await Promise.all(
      workers.map(async (worker) => {
        const before = (await pagesOf(service, worker)) || 0;
        const isAtWork = async () => bought() >= PAGES || (await pagesOf(service, worker)) > before;
        await vi.waitUntil(isAtWork, LONG_PATIENCE);
      }),
    );
  };
  return { ...world, gateway, toGateway, serve, addWorker, progress, untilAtWork };
}

/** Pages that a worker has bought, as the service has heard. */
async function pagesOf({ url }: { readonly url: string }, { child }: RunningCli): Promise<number> {
  const { text } = await callService(url, "GET", "/metrics", { headers: ACTING });
  return Number(new RegExp(`^licet_worker_pages_total\\{worker="[^"]*:${child.pid}"\\} (\\d+)$`, "m").exec(text)?.[1]);
}

/** One way fails for a while in some manner. What is held on the way to the gateway would come to it when nobody waits any more: beyond its limits. */
async function failSomewhere(ways: readonly TcpProxy[], toGateway: TcpProxy): Promise<void> {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)] as Item;
  const way = pick([...ways, toGateway]);
  const fault = pick([
    "refuse",
    "forget",
    "cutAfter",
    "delay",
    ...(way === toGateway ? [] : (["hold"] as const)),
  ] as const);
  const [bytes, ms, lastsMs] = [Math.floor(Math.random() * 2_000), 400, Math.random() * 6_000];
  process.stderr.write(`${fault} for ${Math.round(lastsMs)} ms\n`);
  way[fault](fault === "delay" ? ms : bytes);
  await new Promise((resolve) => setTimeout(resolve, lastsMs));
  way.heal();
}

/** Not in the middle of a write, which would keep the file locked for everybody. Resolves when its lease has ended. */
async function freeze({ child }: RunningCli, ledgerFile: string): Promise<void> {
  const ledger = new Database(ledgerFile, { timeout: 0 });
  const isFree = () => {
    try {
      ledger.exec("BEGIN IMMEDIATE; ROLLBACK");
      return true;
    } catch {
      return false;
    }
  };
  const halt = async () => {
    child.kill("SIGSTOP");
    await untilStopped(child.pid);
  };
  for (await halt(); !isFree(); await halt()) {
    child.kill("SIGCONT");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const lease = ledger.prepare("SELECT expires_at FROM service").pluck();
  await vi.waitUntil(() => Date.now() > Number(lease.get()), LONG_PATIENCE);
  ledger.close();
}

async function stop({ child, result }: RunningCli) {
  child.kill("SIGTERM");
  const end = await result;
  expect(findImpoliteness(end)).toEqual([]);
  expect(end).toMatchObject({ code: 0, stdout: "" });
}

describe.skipIf(problem !== null)("workers on ways that fail", () => {
  test("go on after each fault, and what was asked for is what was done", async () => {
    const { serve, addWorker, progress, untilAtWork, gateway, toGateway, ledgerFile, expectMatchingAccounts } =
      await open();
    const service = await serve();
    const [one, two] = await Promise.all([addWorker(), addWorker()]);
    await callService(service.url, "POST", "/api/v1/runs", { headers: ACTING, body: {} });
    await progress(20);
    // In the middle of answers.
    one.toService.cutAfter(300);
    two.toRedis.cutAfter(100);
    toGateway.cutAfter(2_000);
    await untilAtWork(service, one, two);
    // Half-open: what is sent on the connections that are open is never answered.
    one.toRedis.forget();
    two.toService.forget();
    toGateway.forget();
    await untilAtWork(service, one, two);
    // Black holes: the service does alone what is to do, and more than what the workers had begun.
    one.toRedis.hold();
    two.toRedis.hold();
    await progress(30);
    one.toRedis.heal();
    two.toRedis.heal();
    await untilAtWork(service, one, two);
    // One is away for longer than its lease. What it sent arrives afterwards.
    one.toService.hold();
    await service.waitFor(new RegExp(`:${one.child.pid} is silent: its leases end`));
    one.toService.heal();
    await untilAtWork(service, one, two);
    for (let fault = 0; fault < DRAWN; fault += 1) {
      await failSomewhere(
        [one, two].flatMap(({ toService, toRedis }) => [toService, toRedis]),
        toGateway,
      );
    }
    // Its machine stands still, and a worker as well. Another service takes the ledger over.
    two.child.kill("SIGSTOP");
    await freeze(service, ledgerFile);
    const late = callService(service.url, "POST", "/ledger/v1/hello", {
      headers: WORKING,
      body: { name: "late", places: 1 },
    });
    const next = await serve();
    for (const { toService } of [one, two]) {
      toService.aim({ host: "127.0.0.1", port: Number(new URL(next.url).port) });
    }
    await untilAtWork(next, one);
    two.child.kill("SIGCONT");
    service.child.kill("SIGCONT");
    // What had come while it stood still finds that it has no lease any more.
    expect(
      await late.then(
        ({ status }) => status,
        () => 503,
      ),
    ).toBe(503);
    expect(await service.result).toMatchObject({ code: 1, stdout: "" });
    await untilAtWork(next, two);
    await vi.waitUntil(() => !hasUnfinishedRun(ledgerFile), LONG_PATIENCE);
    await Promise.all([one, two, next].map(stop));
    await expectMatchingAccounts({ charges: null });
    expect(gateway.mostAtOnce, gateway.atOnce).toBeLessThanOrEqual(PLACES);
  });
});
