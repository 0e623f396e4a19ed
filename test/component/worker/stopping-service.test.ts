/** What a service holds for its workers ends with it. */
import { expect, onTestFinished, test, vi } from "vitest";
import { createResources } from "../../../src/agent/compose.ts";
import { EventBus } from "../../../src/agent/events/events.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { packageVersion } from "../../../src/package-directory.ts";
import { startServiceOn } from "../../../src/serve/service.ts";
import { type Clock, systemClock } from "../../../src/time/clock.ts";
import { createServiceClient } from "../../../src/worker/service-client.ts";
import { createCrawlWorld } from "../../doubles/crawl-world.ts";

const SILENT = { debug: () => {}, info: () => {}, warn: () => {} };
const BEAT = { confirmed: 0, restMs: 0, attached: [], jobs: 0, isDraining: false, pages: 0, mayWait: true };

test("a service that stops answers the beats that it holds, and leaves no wait behind", async () => {
  const world = await createCrawlWorld({
    sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 1, bodyBytes: 500 }] },
    queueUrl: "redis://127.0.0.1:1",
    config: {
      sites: [{ host: "news.example", policy: "standard" }],
      serve: { port: 0, tokens: [{ name: "fleet", token: "worker-token", can: "work" }] },
    },
  });
  onTestFinished(() => world.close());
  const waits = new Set<object>();
  const clock: Clock = {
    ...systemClock,
    sleep: async (ms, signal) => {
      const wait = { ms };
      waits.add(wait);
      await systemClock.sleep(ms, signal);
      waits.delete(wait);
    },
  };
  const config = await loadConfig({ path: world.configFile, cwd: world.directory, env: {} });
  const bus = new EventBus();
  const service = await startServiceOn({ ...createResources(config, bus), clock }, bus, SILENT);
  const client = createServiceClient({ url: service.url, token: "worker-token", version: packageVersion() });
  const { signal } = new AbortController();
  const { session } = await client.hello({ name: "worker:1", places: 2 }, signal);
  await client.beat({ ...BEAT, session, number: 1 }, signal);
  const held = client.beat({ ...BEAT, session, number: 2 }, signal).catch((error: unknown) => error);
  await vi.waitUntil(() => [...waits].some((wait) => "ms" in wait && wait.ms === 1_000));
  expect(await service.stop()).toEqual([]);
  expect(await held).toMatchObject({ code: "WORKER_EXPIRED" });
  await vi.waitUntil(() => waits.size === 0);
});
