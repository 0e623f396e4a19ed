import { expect, test } from "vitest";
import type { QueueWorkers, Stage } from "../../../src/queue/queue.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";
import { passTime, runScriptedWorker } from "./scripted-worker.ts";

test("a worker takes the jobs of its share, more with a larger one and none without", async () => {
  const clock = createFakeClock();
  const stop = new AbortController();
  const works = [{ work: "work", queue: { prefix: "p", owner: "o" }, isStopping: false }];
  const share = { concurrency: 3, requestsPerSecond: null, burst: 1, version: 1 };
  const now = { acquire: 0, taken: [] as readonly Stage[] };
  const workers: QueueWorkers = {
    close: async () => {},
    takeOnly: (stages) => {
      now.taken = stages;
    },
    setConcurrency: ({ acquire }) => {
      now.acquire = acquire;
    },
  };
  void runScriptedWorker(clock, {
    client: {
      hello: async () => ({ session: "s", leaseMs: 10_000 }) as never,
      beat: async () => ({ now: clock.now(), share: { ...share }, restMs: 0, works, hasRuns: true }),
    },
    queues: { startWorkers: async () => workers },
    jobsAtOnce: (places) => ({ walk: 1, quote: 1, acquire: 10 + places, report: 1 }),
    stop: stop.signal,
  });
  const seen: { acquire: number; stages: number }[] = [];
  for (const concurrency of [3, 40, 2, 0]) {
    Object.assign(share, { concurrency, version: share.version + 1 });
    await passTime(clock, 1_000);
    seen.push({ acquire: now.acquire, stages: now.taken.length });
  }
  stop.abort();
  expect(seen).toEqual([
    { acquire: 13, stages: 4 },
    { acquire: 50, stages: 4 },
    { acquire: 12, stages: 4 },
    { acquire: 10, stages: 0 },
  ]);
});
