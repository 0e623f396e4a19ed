import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { expect, it, onTestFinished } from "vitest";
import { formatStatus } from "../../../../src/cli/commands/status.ts";
import { loadConfig } from "../../../../src/config/load-config.ts";
import { openSqliteLedger } from "../../../../src/ledger/sqlite/open.ts";
import { startService } from "../../../../src/serve/service.ts";
import { type ConfigFile, type CrawlWorld, createCrawlWorld } from "../../../doubles/crawl-world.ts";

const SILENT = { debug: () => {}, info: () => {}, warn: () => {} };

async function createWorld(config: ConfigFile) {
  const world = await createCrawlWorld({ sandbox: { sites: [] }, config: { sites: [], ...config } });
  onTestFinished(() => world.close());
  const check = async () => {
    const { ok, checks } = await (await world.openAgent()).check();
    expect(ok).toBe(true);
    return checks.filter(({ name }) => name === "service" || name === "serve");
  };
  return { world, check };
}

async function statusLine(world: CrawlWorld): Promise<string | undefined> {
  const report = await (await world.openAgent()).status();
  return formatStatus(report)
    .split("\n")
    .find((line) => line.startsWith("Service:"));
}

it("says that a service is at work, and where, and nothing once it has stopped", async () => {
  const { world, check } = await createWorld({ serve: { port: 0 } });
  expect(await check()).toEqual([]);
  const config = await loadConfig({ path: world.configFile, cwd: world.directory, env: {} });
  const service = await startService(config, SILENT);
  onTestFinished(() => void service.stop());
  expect(await check()).toMatchObject([
    { name: "service", detail: expect.stringMatching(new RegExp(`^at work: .+:${process.pid} at ${service.url}$`)) },
  ]);
  expect(await statusLine(world)).toMatch(new RegExp(`^Service: .+:${process.pid} at ${service.url}, at work since 2`));
  await service.stop();
  expect(await check()).toEqual([]);
  expect(await statusLine(world)).toBeUndefined();
});

it("says that a service did not stop in order", async () => {
  const { world, check } = await createWorld({});
  const config = await loadConfig({ path: world.configFile, cwd: world.directory, env: {} });
  const ledger = await openSqliteLedger({ path: config.ledger.path });
  await ledger.takeService({ now: 1, leaseMs: 1, gone: [], known: null, process: "a.example:7:x" });
  await ledger.close();
  expect(await check()).toMatchObject([{ detail: "not at work: a.example:7 did not stop in order" }]);
  expect(await statusLine(world)).toBe("Service: a.example:7, not at work; it did not stop in order");
});

it("says at once that a service whose process has ended is not at work, though its lease still lasts", async () => {
  const { world, check } = await createWorld({});
  const config = await loadConfig({ path: world.configFile, cwd: world.directory, env: {} });
  const ledger = await openSqliteLedger({ path: config.ledger.path });
  const ended = `${hostname()}:${spawnSync(process.execPath, ["-e", "0"]).pid}:x`;
  const leaseMs = 10_000;
  await ledger.takeService({ now: Date.now(), leaseMs, gone: [], known: null, process: ended });
  await ledger.close();
  expect(await check()).toMatchObject([{ detail: expect.stringMatching(/^not at work: .+ did not stop in order$/) }]);
});

it("warns of an interface that is not encrypted, and of a stop that is shorter than a request", async () => {
  const { check } = await createWorld({
    gateway: { timeoutMs: 5_000 },
    serve: { host: "0.0.0.0", token: "a-token-of-this-test", shutdownMs: 4_000 },
  });
  expect((await check()).map(({ detail }) => detail)).toEqual([
    expect.stringMatching(/^serve\.host 0\.0\.0\.0: the HTTP interface is not encrypted/),
    expect.stringMatching(/^serve\.shutdownMs \(4000\) is shorter than gateway\.timeoutMs \(5000\)/),
  ]);
});
