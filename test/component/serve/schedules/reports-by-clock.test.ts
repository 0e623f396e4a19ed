import { expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../../../src/config/load-config.ts";
import { startService } from "../../../../src/serve/service.ts";
import { createCrawlWorld, readPurchases } from "../../../doubles/crawl-world.ts";
import { until } from "./scheduler-world.ts";

it("sends the uses of licet use while nothing runs, and says once that the gateway does not answer, and once that it does", async () => {
  const world = await createCrawlWorld({
    sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 3, bodyBytes: 200 }] },
    config: {
      serve: { port: 0 },
      sites: [{ host: "news.example", policy: "standard" }],
      budgets: [{ scope: "all", per: "total", limit: "100 USD" }],
      reporting: { every: "1s" },
    },
  });
  onTestFinished(() => world.close());
  const warned: string[] = [];
  const logged: string[] = [];
  const config = await loadConfig({ path: world.configFile, cwd: world.directory, env: {} });
  const service = await startService(config, {
    debug: () => {},
    info: (message) => void logged.push(message),
    warn: (message) => void warned.push(message),
  });
  onTestFinished(async () => void (await service.stop()));
  const agent = await world.openAgent();
  await agent.run();
  const url = readPurchases(world.ledgerFile)[0]?.url ?? "";
  world.sandbox.setFaults({ "report:status-503": 1 });
  await agent.use([{ url, times: 2 }]);
  const slots = async () => (await agent.schedule()).schedules.flatMap((schedule) => schedule.slots);
  await until(async () => (await slots()).filter(({ state }) => state === "failed").length >= 2, "two failed slots");
  expect((await slots()).find(({ state }) => state === "failed")?.detail).toContain("no usable answer");
  expect((await agent.status()).usage.pending).toBe(1);
  world.sandbox.setFaults({});
  await until(async () => (await agent.status()).usage.pending === 0, "the uses are reported");
  await until(() => logged.includes("reports by the clock succeed again"), "the log says so");
  expect(warned.filter((message) => message.startsWith("reports by the clock: "))).toHaveLength(1);
  const isReported = async () => (await slots()).some(({ detail }) => detail === "2 uses were reported");
  await until(isReported, "the slot says what was reported");
});
