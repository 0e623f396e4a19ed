/** `licet worker` as processes: killed, frozen and cut off while they hold started purchases. Both books agree afterwards. */
import { afterEach, describe, expect, test, vi } from "vitest";
import type { RunningCli } from "../doubles/cli-process.ts";
import { newsSite, ONE_PRICE } from "../doubles/cli-world.ts";
import { findRedisProblem, type RedisServer, startRedisServer } from "../doubles/redis-server.ts";
import { callService } from "../doubles/service-world.ts";
import { closedPort } from "./closed-port.ts";
import { CRASH_TIMEOUT_MS, type CrashWorld, createCrashWorld, findImpoliteness } from "./crash-world.ts";

vi.setConfig({ testTimeout: CRASH_TIMEOUT_MS });

const PAGES = 60;
/** A batch of a dead worker is leased again so soon. */
const SHORT_LEASE = { limits: { leaseMs: 8_000 } };
const TOKEN = "a-token-of-this-test";
const WORKER_ENV = "export LICET_API_KEY=sandbox-key LICET_WORKER_TOKEN=a-worker-of-this-test";
const problem = findRedisProblem();

let world: CrashWorld | null = null;
let redis: RedisServer | null = null;
afterEach(async () => {
  await world?.close();
  await redis?.stop();
  world = null;
  redis = null;
});

async function open() {
  const port = await closedPort();
  redis = await startRedisServer();
  const queue = redis;
  world = await createCrashWorld({
    sandbox: { sites: [newsSite(PAGES)], rates: ONE_PRICE, latencyMs: 60 },
    config: {
      gateway: { concurrency: 6, quoteBatchSize: 10, catalogPageSize: 30, timeoutMs: 1_000 },
      queue: { url: queue.url },
      serve: {
        port,
        token: TOKEN,
        tokens: [{ name: "fleet", token: "a-worker-of-this-test", can: "work" }],
      },
      sites: [{ host: "news.example", policy: "standard" }],
    },
  });
  const { start, sandbox } = world;
  const url = `http://127.0.0.1:${port}`;
  const serve = async (): Promise<RunningCli> => {
    const service = start(["serve", "--debug"], SHORT_LEASE);
    await service.waitFor(/the service listens on/);
    return service;
  };
  const addWorker = async (): Promise<RunningCli> => {
    const worker = start(["worker", "--serve", url, "--queue", queue.url], SHORT_LEASE, WORKER_ENV);
    await worker.waitFor(/works for the service/);
    return worker;
  };
  const startRun = () =>
    callService(url, "POST", "/api/v1/runs", { headers: { authorization: `Bearer ${TOKEN}` }, body: {} });
  const untilCharged = async (charges: number) => {
    while (sandbox.audit().charges.length < charges) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return { ...world, queue, serve, addWorker, startRun, untilCharged };
}

/** SIGTERM, and what came of it. */
async function stop({ child, result }: RunningCli) {
  child.kill("SIGTERM");
  const end = await result;
  expect(findImpoliteness(end)).toEqual([]);
  expect(end).toMatchObject({ code: 0, stdout: "" });
  return end;
}

describe.skipIf(problem !== null)("workers", () => {
  test("that are killed or frozen leave started purchases, which another one probes; Redis is emptied meanwhile", async () => {
    const { serve, addWorker, startRun, untilCharged, queue, expectMatchingAccounts } = await open();
    const service = await serve();
    const [killed, frozen, other] = await Promise.all([addWorker(), addWorker(), addWorker()]);
    await startRun();
    await untilCharged(15);
    killed.child.kill("SIGKILL");
    frozen.child.kill("SIGSTOP");
    await untilCharged(25);
    await queue.flush();
    await service.waitFor(/is silent: its leases end[\s\S]*is silent: its leases end/);
    // It comes back after its lease, and changes nothing of what others did.
    frozen.child.kill("SIGCONT");
    // Its next beat hears of it, or the answer to a job that it ends.
    await frozen.waitFor(/comes again/);
    await service.waitFor(/run \S+ ended: completed/);
    await Promise.all([stop(frozen), stop(other)]);
    await stop(service);
    await expectMatchingAccounts({ charges: PAGES });
  });

  test("go on with the next service when theirs was killed", async () => {
    const { serve, addWorker, startRun, untilCharged, expectMatchingAccounts } = await open();
    const killed = await serve();
    const workers = await Promise.all([addWorker(), addWorker()]);
    await startRun();
    await untilCharged(20);
    killed.child.kill("SIGKILL");
    await killed.result;
    const next = await serve();
    await next.waitFor(/run \S+ ended: completed/);
    await Promise.all(workers.map(stop));
    await stop(next);
    await expectMatchingAccounts({ charges: PAGES });
  });
});
