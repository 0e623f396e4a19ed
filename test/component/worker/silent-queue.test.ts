/** A server of the queue that takes connections and does not answer, as behind a firewall that has forgotten them. */
import { expect, onTestFinished, test, vi } from "vitest";
import { createIds } from "../../../src/ids.ts";
import { openSharedQueues, type SharedQueues } from "../../../src/queue/shared-queue.ts";
import { systemClock } from "../../../src/time/clock.ts";
import { QueueWatch } from "../../../src/worker/queue-watch.ts";
import { runWorker } from "../../../src/worker/worker.ts";
import type { Beat } from "../../../src/worker/worker-port.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";
import { findRedisProblem, startRedisServer } from "../../doubles/redis-server.ts";
import { createScriptedGateway } from "../../doubles/scripted-gateway.ts";
import { startTcpProxy } from "../../doubles/tcp-proxy.ts";

const never = () => new Promise<never>(() => {});

/** A worker without a service: what it says in its beats. */
function startOn(queues: Partial<SharedQueues>) {
  const beats: Beat[] = [];
  const stop = new AbortController();
  const works = [{ work: "work", queue: { prefix: "p", owner: "o" }, isStopping: false }];
  const share = { concurrency: 1, requestsPerSecond: null, burst: 1, version: 1 };
  const running = runWorker({
    name: "worker",
    places: 1,
    client: {
      hello: async () => ({ session: "s", leaseMs: 10_000 }) as never,
      beat: async (beat) => {
        beats.push(beat);
        return { now: 0, share, restMs: 0, works };
      },
      bye: async () => {},
      exchangeAs: () => never,
    },
    queues: { has: never, ping: never, startWorkers: never, close: async () => {}, ...queues },
    clock: systemClock,
    random: () => 0.5,
    tools: async () => ({ gateway: createScriptedGateway(Date.now), ids: createIds(), converter: null as never }),
    jobsAtOnce: { walk: 1, quote: 1, acquire: 1, report: 1 },
    log: { info: () => {}, warn: () => {} },
    isDrained: false,
    stop: stop.signal,
    end: new AbortController().signal,
  });
  const end = async () => {
    stop.abort();
    await running;
  };
  return { beats, end };
}

test("a worker gives signs of life while it looks for a queue whose server does not answer", async () => {
  const { beats, end } = startOn({});
  await vi.waitUntil(() => beats.length > 3, { timeout: 20_000 });
  await end();
  expect(new Set(beats.map(({ attached }) => attached.length))).toEqual(new Set([0]));
});

test("a worker says that it takes no jobs while the server of its queue does not answer", async () => {
  const workers = { close: async () => {}, takeOnly: () => {} };
  const { beats, end } = startOn({ has: async () => true, startWorkers: async () => workers });
  await vi.waitUntil(() => beats.at(-1)?.attached.length === 1, { timeout: 20_000 });
  await vi.waitUntil(() => beats.at(-1)?.attached.length === 0, { timeout: 20_000 });
  await end();
});

test("a server that has not answered for some seconds is away until it answers", async () => {
  const clock = createFakeClock();
  const asked: { readonly answer: () => void; readonly fail: (error: Error) => void }[] = [];
  const ping = () => new Promise<void>((answer, fail) => asked.push({ answer, fail }));
  const watch = new QueueWatch({ ping }, clock);
  const look = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return watch.look();
  };
  expect(await look()).toBe(true);
  clock.advance(2_900);
  expect(await look()).toBe(true);
  clock.advance(100);
  expect(await look()).toBe(false);
  asked[0]?.answer();
  expect(await look()).toBe(true);
  asked[1]?.fail(new Error("gone"));
  expect(await look()).toBe(false);
  expect(asked).toHaveLength(2);
  clock.advance(1_000);
  expect(await look()).toBe(false);
  asked[2]?.answer();
  expect(await look()).toBe(true);
});

test.skipIf(findRedisProblem() !== null)(
  "a connection that owes an answer for long is given up for another one",
  async () => {
    const redis = await startRedisServer();
    onTestFinished(() => redis.stop());
    const proxy = await startTcpProxy({ path: redis.url.replace("redis+unix://", "") });
    onTestFinished(() => proxy.close());
    const queues = await openSharedQueues({ url: `redis://127.0.0.1:${proxy.port}`, onWarning: () => {} });
    onTestFinished(() => queues.close());
    await queues.ping();
    proxy.forget();
    await expect(queues.ping()).rejects.toMatchObject({ code: "QUEUE_UNREACHABLE" });
    await queues.ping();
  },
);
