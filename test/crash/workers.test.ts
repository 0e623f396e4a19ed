/** `licet worker` as processes: killed, frozen, drained and with wrong clocks while they hold started purchases. Both books agree afterwards. */
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { toWholeShare } from "../../src/gateway/whole-share.ts";
import type { SandboxOptions } from "../../src/sandbox/options.ts";
import type { RunningCli } from "../doubles/cli-process.ts";
import { newsSite, ONE_PRICE } from "../doubles/cli-world.ts";
import { startCountingGateway } from "../doubles/counting-gateway.ts";
import { findRedisProblem, type RedisServer, startRedisServer } from "../doubles/redis-server.ts";
import { callService } from "../doubles/service-world.ts";
import { closedPort } from "./closed-port.ts";
import type { CrashOrder } from "./crash-order.ts";
import { CRASH_TIMEOUT_MS, type CrashWorld, createCrashWorld, findImpoliteness } from "./crash-world.ts";

vi.setConfig({ testTimeout: CRASH_TIMEOUT_MS });

const PAGES = 60;
const PLACES = 6;
const LATENCY_MS = 60;
const PER_SECOND = 40;
const DAY_MS = 24 * 3_600_000;
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

interface Options {
  readonly sandbox?: Partial<SandboxOptions>;
  readonly gateway?: Readonly<Record<string, unknown>>;
}

async function open({ sandbox: ofSandbox, gateway }: Options = {}) {
  const port = await closedPort();
  redis = await startRedisServer();
  const queue = redis;
  world = await createCrashWorld({
    sandbox: { sites: [newsSite(PAGES)], rates: ONE_PRICE, latencyMs: LATENCY_MS, ...ofSandbox },
    config: {
      gateway: { concurrency: PLACES, quoteBatchSize: 10, catalogPageSize: 30, timeoutMs: 1_000, ...gateway },
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
  const addWorker = async (order: CrashOrder = {}, ...flags: readonly string[]): Promise<RunningCli> => {
    const worker = start(
      ["worker", "--serve", url, "--queue", queue.url, ...flags],
      { ...SHORT_LEASE, ...order },
      WORKER_ENV,
    );
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
async function stop(running: RunningCli) {
  running.child.kill("SIGTERM");
  return expectOrderlyEnd(running);
}

async function expectOrderlyEnd({ result }: RunningCli) {
  const end = await result;
  expect(findImpoliteness(end)).toEqual([]);
  expect(end).toMatchObject({ code: 0, stdout: "" });
  return end;
}

/** Two workers are in the middle of a run when their service dies. */
async function openAndKillService() {
  const opened = await open();
  const killed = await opened.serve();
  const workers = await Promise.all([opened.addWorker(), opened.addWorker()]);
  await opened.startRun();
  await opened.untilCharged(20);
  killed.child.kill("SIGKILL");
  return { ...opened, killed, workers };
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
    const { serve, expectMatchingAccounts, killed, workers } = await openAndKillService();
    await killed.result;
    const next = await serve();
    await next.waitFor(/run \S+ ended: completed/);
    await Promise.all(workers.map(stop));
    await stop(next);
    await expectMatchingAccounts({ charges: PAGES });
  });

  test("that drain stay while their service is restarted in order and killed, and end when no run has work left", async () => {
    // A service that stops reports what its runs have used. Nothing is offered meanwhile, for longer than a worker without a run stays.
    const { sandbox, serve, addWorker, startRun, untilCharged, expectMatchingAccounts } = await open({
      sandbox: { faults: { "report:slow": 1 }, slowMs: 3_000 },
      gateway: { timeoutMs: 5_000 },
    });
    const first = await serve();
    await startRun();
    const workers = await Promise.all([addWorker({}, "--drain"), addWorker({}, "--drain")]);
    await untilCharged(15);
    await stop(first);
    const second = await serve();
    // Slowly: pages are left when it is killed, also on a machine that stands still for a second.
    sandbox.setLatency(500);
    await untilCharged(30);
    second.child.kill("SIGKILL");
    await second.result;
    sandbox.setLatency(LATENCY_MS);
    expect(workers.map(({ child }) => child.exitCode)).toEqual([null, null]);
    const third = await serve();
    for (const end of await Promise.all(workers.map(expectOrderlyEnd))) {
      expect(end.stderr).toContain("the worker has ended");
    }
    await stop(third);
    await expectMatchingAccounts({ charges: PAGES });
  });

  test("that are told to stop while their service dies bring what they have bought to the next one", async () => {
    const { serve, expectMatchingAccounts, killed, workers } = await openAndKillService();
    for (const { child } of workers) {
      child.kill("SIGTERM");
    }
    await killed.result;
    const next = await serve();
    await Promise.all(workers.map(expectOrderlyEnd));
    await next.waitFor(/run \S+ ended: completed/);
    await stop(next);
    await expectMatchingAccounts({ charges: PAGES });
  });

  test("whose clocks are a day ahead, a day behind, and set wrong in the middle work as others do", async () => {
    const gateway = await startCountingGateway();
    onTestFinished(() => gateway.close());
    const { serve, addWorker, startRun, untilCharged, sandbox, expectMatchingAccounts } = await open({
      sandbox: { tokenLifeMs: 20_000 },
      gateway: { baseUrl: gateway.url, requestsPerSecond: PER_SECOND },
    });
    gateway.forwardTo(sandbox.url);
    const service = await serve();
    const ahead = await addWorker({ clock: { startMs: DAY_MS, jumps: [] } });
    const behind = await addWorker({ clock: { startMs: -DAY_MS, jumps: [] } });
    const jumps = Array.from({ length: 40 }, (_, index) => ({
      afterMs: 250 * index,
      byMs: index % 2 ? DAY_MS : -DAY_MS,
    }));
    const set = await addWorker({ clock: { startMs: 0, jumps } });
    await startRun();
    await untilCharged(10);
    gateway.restFor(3, "date");
    await service.waitFor(/run \S+ ended: completed/);
    const [first, second] = await Promise.all([stop(ahead), stop(behind), stop(set)]);
    expect(first.stderr).toMatch(/the clock of this machine is 864\d\d s ahead of that of the service/);
    expect(second.stderr).toMatch(/the clock of this machine is 86[34]\d\d s behind that of the service/);
    await stop(service);
    await expectMatchingAccounts({ charges: PAGES });
    const { issued, spent } = sandbox.audit().tokens;
    expect(issued).toBe(spent);
    expect(gateway.mostAtOnce, gateway.atOnce).toBeLessThanOrEqual(PLACES);
    // Those that have left and not come are in flight, however busy the machine is.
    const { burst } = toWholeShare({ concurrency: PLACES, requestsPerSecond: PER_SECOND });
    expect(gateway.mostInASecond).toBeLessThanOrEqual(PER_SECOND + burst + PLACES);
    expect(gateway.cameInRest.length).toBeLessThanOrEqual(PLACES);
  });
});
