import { existsSync } from "node:fs";
import { afterEach, expect, it, onTestFinished } from "vitest";
import type { Agent } from "../../../src/agent/agent.ts";
import { createResources, type Resources } from "../../../src/agent/compose.ts";
import { EventBus } from "../../../src/agent/events/events.ts";
import { TUNING } from "../../../src/agent/tuning.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { isLicetError } from "../../../src/errors.ts";
import { packageVersion } from "../../../src/package-directory.ts";
import type { ServiceLog } from "../../../src/serve/log/service-log.ts";
import { type Service, startService, startServiceOn } from "../../../src/serve/service.ts";
import { type ConfigFile, type CrawlWorld, createCrawlWorld } from "../../doubles/crawl-world.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";
import { startLoopbackServer } from "../../doubles/loopback-server.ts";
import { type Answer, callService } from "../../doubles/service-world.ts";

const lines: string[] = [];
const log: ServiceLog = {
  debug: () => {},
  info: (message) => void lines.push(message),
  warn: (message) => void lines.push(message),
};

afterEach(() => {
  lines.length = 0;
});

async function createWorld(config: ConfigFile = {}): Promise<CrawlWorld> {
  const world = await createCrawlWorld({
    sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 3, bodyBytes: 500 }] },
    config: {
      budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      sites: [{ host: "news.example", policy: "standard" }],
      serve: { port: 0 },
      ...config,
    },
  });
  onTestFinished(() => world.close());
  return world;
}

async function start(world: CrawlWorld, adapt: Partial<Resources> = {}): Promise<Service> {
  const config = await loadConfig({ path: world.configFile, cwd: world.directory, env: {} });
  const bus = new EventBus();
  const service = await startServiceOn({ ...createResources(config, bus), ...adapt }, bus, log);
  onTestFinished(() => void service.stop());
  return service;
}

const get = (service: Service, path: string): Promise<Answer> => callService(service.url, "GET", path);

async function fail(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );
}

it("is alive and ready, and says since when ledger, queue and gateway are reachable", async () => {
  const service = await start(await createWorld());
  expect(await get(service, "/healthz")).toMatchObject({ status: 200, json: { status: "ok" } });
  const reachable = { ok: true, since: expect.stringMatching(/^2\d{3}-.*Z$/) };
  // A probe may be late on a busy machine. The next one is not.
  await expect
    .poll(() => get(service, "/readyz"))
    .toMatchObject({
      status: 200,
      json: { status: "ready", checks: { ledger: reachable, queue: reachable, gateway: reachable } },
    });
  await service.checkAlive();
});

it("refuses a second service of the same ledger, names the first, and leaves it alone", async () => {
  const world = await createWorld();
  const first = await start(world);
  const error = await fail(start(world));
  expect(isLicetError(error, "SERVICE_ALIVE") && error.details).toMatchObject({
    process: expect.stringContaining(`:${process.pid}`),
    url: first.url,
    path: world.ledgerFile,
  });
  expect(await get(first, "/healthz")).toMatchObject({ status: 200 });
  expect(await first.stop()).toEqual([]);
  const next = await start(world);
  expect(await get(next, "/healthz")).toMatchObject({ status: 200 });
});

it("leaves nothing when its port is in use: the next one starts at once", async () => {
  const other = await startLoopbackServer((_request, response) => response.end());
  onTestFinished(() => other.close());
  const port = Number(new URL(other.baseUrl).port);
  const world = await createWorld({ serve: { port } });
  const error = await fail(start(world));
  expect(isLicetError(error, "LISTEN_FAILED") && error.details).toEqual({
    host: "127.0.0.1",
    port,
    code: "EADDRINUSE",
  });
  await world.configure({ sites: [], serve: { port: 0 } });
  const next = await start(world);
  expect(await get(next, "/healthz")).toMatchObject({ status: 200 });
  expect(lines.filter((line) => line.includes("did not stop in order"))).toEqual([]);
});

it("makes no ledger when it cannot listen", async () => {
  const other = await startLoopbackServer((_request, response) => response.end());
  onTestFinished(() => other.close());
  const world = await createWorld({ serve: { port: Number(new URL(other.baseUrl).port) } });
  const config = await loadConfig({ path: world.configFile, cwd: world.directory, env: {} });
  expect(isLicetError(await fail(startService(config, log)), "LISTEN_FAILED")).toBe(true);
  expect(existsSync(world.ledgerFile)).toBe(false);
});

it("starts without gateway, says so once, and is not ready", async () => {
  const world = await createWorld();
  await world.sandbox.close();
  const service = await start(world);
  const answer = await get(service, "/readyz");
  expect(answer).toMatchObject({
    status: 503,
    json: { status: "not_ready", checks: { ledger: { ok: true }, gateway: { ok: false } } },
  });
  await get(service, "/readyz");
  expect(lines.filter((line) => line.includes("the gateway is not reachable"))).toHaveLength(1);
});

it("starts without its queue, and is not ready", async () => {
  const world = await createWorld({ queue: { url: "redis://127.0.0.1:1" } });
  const service = await start(world);
  expect(await get(service, "/readyz")).toMatchObject({ status: 503, json: { checks: { queue: { ok: false } } } });
});

it("answers no worker when its lease has ended while it was suspended", async () => {
  const tokens = [{ name: "fleet", token: "work-token", can: "work" }];
  const clock = createFakeClock();
  const service = await start(await createWorld({ serve: { port: 0, tokens } }), { clock });
  const headers = { authorization: "Bearer work-token", "licet-version": packageVersion() };
  const ask = () => callService(service.url, "POST", "/ledger/v1/bye", { headers, body: { session: "none" } });
  expect(await ask()).toMatchObject({ json: { code: "WORKER_EXPIRED" } });
  // No timer has told it yet.
  clock.jump(TUNING.serviceLeaseMs);
  expect(await ask()).toMatchObject({ status: 503, json: { code: "SERVICE_LOST" } });
});

it("fails when another service took its ledger over, and gives nothing back that is not its own", async () => {
  const world = await createWorld();
  const clock = createFakeClock();
  const service = await start(world, { clock });
  const { tuning, ...resources } = createResources(
    await loadConfig({ path: world.configFile, cwd: world.directory, env: {} }),
  );
  onTestFinished(() => resources.close());
  const ledger = await resources.ledger("existing");
  const query = { now: clock.now() + tuning.serviceLeaseMs, leaseMs: tuning.serviceLeaseMs, gone: [] };
  const known = await ledger.readService(query);
  expect(await ledger.takeService({ ...query, known, process: "other.example:1:x-1" })).toMatchObject({
    kind: "taken",
  });
  expect(service.failed.aborted).toBe(false);
  const failed = new Promise((resolve) => service.failed.addEventListener("abort", resolve));
  clock.advance(tuning.serviceLeaseMs / 3);
  await failed;
  expect(isLicetError(service.failed.reason, "SERVICE_LOST")).toBe(true);
  await service.stop();
  expect(await ledger.readService(query)).toMatchObject({ process: "other.example:1:x-1", isAlive: true });
});

/** A ledger with a use that is not reported. */
async function leaveUse(world: CrawlWorld): Promise<Agent> {
  const agent = await world.openAgent();
  await agent.run();
  for await (const { url } of agent.documents()) {
    await agent.use([{ url }]);
  }
  expect((await agent.status()).usage.pending).toBeGreaterThan(0);
  return agent;
}

it("stops in time when the gateway is silent, and refuses what would begin meanwhile", async () => {
  const token = "a-token-of-this-test";
  const world = await createWorld({ serve: { port: 0, token, shutdownMs: 1_000 } });
  await leaveUse(world);
  world.sandbox.setLatency(60_000);
  const service = await start(world);
  const stopped = service.stop();
  expect(service.stop()).toBe(stopped);
  const headers = { authorization: `Bearer ${token}` };
  const refused = await callService(service.url, "POST", "/api/v1/runs", { headers, body: {} });
  expect(refused).toMatchObject({ status: 503, headers: { "retry-after": "10" }, json: { code: "SERVICE_STOPPING" } });
  expect(await get(service, "/readyz")).toMatchObject({ status: 503, json: { status: "stopping" } });
  expect(await stopped).toContain("reports");
  await expect(get(service, "/healthz")).rejects.toThrow("ECONNREFUSED");
  // The lease was given back.
  const next = await start(world);
  expect(await get(next, "/healthz")).toMatchObject({ status: 200 });
});

it("reports what waits before it has stopped", async () => {
  const world = await createWorld();
  const agent = await leaveUse(world);
  const service = await start(world);
  expect(await service.stop()).toEqual([]);
  expect((await agent.status()).usage.pending).toBe(0);
});
