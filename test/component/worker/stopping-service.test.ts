/** What a service holds for its workers ends with it. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createResources } from "../../../src/agent/compose.ts";
import { EventBus } from "../../../src/agent/events/events.ts";
import { TUNING } from "../../../src/agent/tuning.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { packageVersion } from "../../../src/package-directory.ts";
import { startServiceOn } from "../../../src/serve/service.ts";
import { type Clock, systemClock } from "../../../src/time/clock.ts";
import { createServiceClient } from "../../../src/worker/service-client.ts";
import type { Beat } from "../../../src/worker/worker-port.ts";
import { createCrawlWorld } from "../../doubles/crawl-world.ts";
import { PATIENCE } from "../../doubles/patience.ts";

const SILENT = { debug: () => {}, info: () => {}, warn: () => {} };
const GATEWAY = { concurrency: 8, requestsPerSecond: null };
const LEASE_MS = 1_500;
const BEAT = { confirmed: 0, restMs: 0, attached: [], jobs: 0, isDraining: false, pages: 0, mayWait: true };

async function createWorld() {
  const world = await createCrawlWorld({
    sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 1, bodyBytes: 500 }] },
    queueUrl: "redis://127.0.0.1:1",
    config: {
      gateway: GATEWAY,
      sites: [{ host: "news.example", policy: "standard" }],
      serve: { port: 0, tokens: [{ name: "fleet", token: "worker-token", can: "work" }] },
    },
  });
  onTestFinished(() => world.close());
  const config = await loadConfig({ path: world.configFile, cwd: world.directory, env: {} });
  return async (clock: Clock = systemClock) => {
    const bus = new EventBus();
    const tuning = { ...TUNING, workerLeaseMs: LEASE_MS };
    const service = await startServiceOn({ ...createResources(config, bus), clock, tuning }, bus, SILENT);
    onTestFinished(() => void service.stop());
    return { service, ...createCaller(service.url) };
  };
}

function createCaller(url: string) {
  const client = createServiceClient({ url, token: "worker-token", version: packageVersion() });
  const { signal } = new AbortController();
  let number = 0;
  return {
    come: async (name: string) => {
      const { session } = await client.hello({ name, places: 8 }, signal);
      return (beat: Partial<Beat> = {}) => {
        number += 1;
        return client.beat({ ...BEAT, ...beat, session, number }, signal);
      };
    },
  };
}

test("a service that stops answers the beats that it holds, and leaves no wait behind", async () => {
  const waits = new Set<number>();
  const start = await createWorld();
  let asked = 0;
  const held: number[] = [];
  const { service, come } = await start({
    ...systemClock,
    sleep: async (ms, signal) => {
      asked += 1;
      const wait = asked;
      waits.add(wait);
      held.push(ms);
      await systemClock.sleep(ms, signal);
      waits.delete(wait);
    },
  });
  const beat = await come("worker:1");
  await beat();
  const answer = beat().catch((error: unknown) => error);
  await vi.waitUntil(() => held.includes(1_000), PATIENCE);
  expect(await service.stop()).toEqual([]);
  expect(await answer).toMatchObject({ code: "WORKER_EXPIRED" });
  await vi.waitUntil(() => waits.size === 0, PATIENCE);
});

describe("the next service deals what the one before dealt to a worker", () => {
  const AT_WORK = { attached: ["work"], jobs: 1 };

  test("at once when that worker had nothing to do", async () => {
    const start = await createWorld();
    const before = await start();
    const idle = await before.come("idle");
    await idle();
    expect(await before.service.stop()).toEqual([]);
    const next = await start();
    const beat = await next.come("other");
    await vi.waitUntil(async () => (await beat(AT_WORK)).share.concurrency === 6, PATIENCE);
  });

  test("when nothing of that worker can be under way any more, if it was lost", async () => {
    const start = await createWorld();
    const before = await start();
    const silent = await before.come("silent");
    await silent(AT_WORK);
    await vi.waitUntil(() => before.service.workers()[0]?.state === "lost", PATIENCE);
    expect(await before.service.stop()).toEqual([]);
    const next = await start();
    const beat = await next.come("other");
    for (const _beat of ["the first", "held for a second", "held for a second"]) {
      expect((await beat(AT_WORK)).share.concurrency).toBe(0);
    }
  });
});
