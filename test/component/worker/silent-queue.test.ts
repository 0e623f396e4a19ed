/** A server of the queue that takes connections and does not answer, as behind a firewall that has forgotten them. */
import { Cluster } from "ioredis";
import { expect, onTestFinished, test } from "vitest";
import { createRedis } from "../../../src/queue/redis-client.ts";
import { openSharedQueues, type SharedQueues } from "../../../src/queue/shared-queue.ts";
import { QueueWatch } from "../../../src/worker/queue-watch.ts";
import type { Beat } from "../../../src/worker/worker-port.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";
import { findRedisProblem, startRedisServer } from "../../doubles/redis-server.ts";
import { startTcpProxy } from "../../doubles/tcp-proxy.ts";
import { passTime, runScriptedWorker } from "./scripted-worker.ts";

const never = () => new Promise<never>(() => {});
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A worker without a service, and what it says in its beats while so much time passes. */
async function workOn(queues: Partial<SharedQueues>, ms: number): Promise<readonly Beat[]> {
  const clock = createFakeClock();
  const beats: Beat[] = [];
  const stop = new AbortController();
  const works = [{ work: "work", queue: { prefix: "p", owner: "o" }, isStopping: false }];
  const share = { concurrency: 1, requestsPerSecond: null, burst: 1, version: 1 };
  void runScriptedWorker(clock, {
    client: {
      hello: async () => ({ session: "s", leaseMs: 10_000 }) as never,
      beat: async (beat) => {
        beats.push(beat);
        return { now: clock.now(), share, restMs: 0, works, hasRuns: true };
      },
      exchangeAs: () => never,
    },
    queues: { has: never, ping: never, startWorkers: never, ...queues },
    stop: stop.signal,
  });
  await passTime(clock, ms);
  stop.abort();
  return beats;
}

test("a worker gives signs of life while it looks for a queue whose server does not answer", async () => {
  const beats = await workOn({}, 2_000);
  expect(beats.length).toBeGreaterThan(3);
  expect(new Set(beats.map(({ attached }) => attached.length))).toEqual(new Set([0]));
});

test("a worker says that it takes no jobs while the server of its queue does not answer", async () => {
  const workers = { close: async () => {}, takeOnly: () => {}, setConcurrency: () => {} };
  const beats = await workOn({ has: async () => true, startWorkers: async () => workers }, 5_000);
  const attached = beats.map((beat) => beat.attached.length);
  expect(attached).toContain(1);
  expect(attached.at(-1)).toBe(0);
});

test.each(["adding", "working"] as const)(
  "a connection that is %s is not silent for long, in each kind of Redis",
  (role) => {
    const host = { host: "127.0.0.1", port: 9 };
    const clients = [
      createRedis({ ...host, mode: "server", tls: false }, role),
      createRedis({ mode: "sentinel", tls: false, sentinels: [host], master: "main" }, role),
      createRedis({ mode: "cluster", tls: false, nodes: [host] }, role),
    ];
    for (const client of clients) {
      const { socketTimeout } = client instanceof Cluster ? (client.options.redisOptions ?? {}) : client.options;
      // A worker waits 10 s for a job in one command.
      expect(socketTimeout).toBe(role === "adding" ? 5_000 : 12_000);
      client.disconnect();
    }
  },
);

test("a server that has not answered for some seconds is away until it answers", async () => {
  const clock = createFakeClock();
  const asked: { readonly answer: () => void; readonly fail: (error: Error) => void }[] = [];
  const ping = () => new Promise<void>((answer, fail) => asked.push({ answer, fail }));
  const watch = new QueueWatch({ ping }, clock);
  const look = async () => {
    await turn();
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
