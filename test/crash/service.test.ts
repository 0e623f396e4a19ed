/** `licet serve` as a process: killed, stopped and started again over one ledger and one port. */
import { createServer } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import type { RunningCli } from "../doubles/cli-process.ts";
import { newsSite, ONE_PRICE } from "../doubles/cli-world.ts";
import { callService } from "../doubles/service-world.ts";
import { CRASH_TIMEOUT_MS, type CrashWorld, createCrashWorld, findImpoliteness } from "./crash-world.ts";

vi.setConfig({ testTimeout: CRASH_TIMEOUT_MS });

const PAGES = 40;
const TOKEN = "a-token-of-this-test";
let world: CrashWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
  );
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function open() {
  const port = await closedPort();
  world = await createCrashWorld({
    sandbox: { sites: [newsSite(PAGES)], rates: ONE_PRICE, latencyMs: 15 },
    config: {
      gateway: { concurrency: 3, quoteBatchSize: 5, catalogPageSize: 10 },
      serve: { port, token: TOKEN },
      sites: [{ host: "news.example", policy: "standard" }],
    },
  });
  const { start } = world;
  const url = `http://127.0.0.1:${port}`;
  const serve = async (): Promise<RunningCli> => {
    const service = start(["serve", "--debug"]);
    await service.waitFor(/the service listens on/);
    return service;
  };
  const startRun = () =>
    callService(url, "POST", "/api/v1/runs", { headers: { authorization: `Bearer ${TOKEN}` }, body: {} });
  return { ...world, url, serve, startRun };
}

/** SIGTERM, and what came of it. */
async function stop({ child, result }: RunningCli) {
  child.kill("SIGTERM");
  const end = await result;
  expect(findImpoliteness(end)).toEqual([]);
  expect(end).toMatchObject({ code: 0, stdout: "" });
  return end;
}

test("a killed service is followed at once by the next, which buys nothing twice and loses nothing", async () => {
  const { url, serve, startRun, start, expectMatchingAccounts } = await open();
  const killed = await serve();
  await startRun();
  await killed.waitFor(/run \S+: bought/);
  killed.child.kill("SIGKILL");
  await killed.result;
  const next = await serve();
  await next.waitFor(/did not stop in order/);
  const second = await start(["serve", "--json"]).result;
  expect(second.code).toBe(1);
  expect(JSON.parse(second.stdout)).toMatchObject({ error: { code: "SERVICE_ALIVE", details: { url } } });
  await next.waitFor(/run \S+ ended: completed/);
  await stop(next);
  await expectMatchingAccounts({ charges: PAGES });
});

test("SIGTERM interrupts a run after its started purchases, and the next service continues", async () => {
  const { serve, startRun, expectMatchingAccounts, sandbox } = await open();
  const first = await serve();
  await startRun();
  await first.waitFor(/run \S+: bought/);
  const { stderr } = await stop(first);
  expect(stderr).toMatch(/run \S+ ended: interrupted/);
  expect(stderr).toContain("the service has stopped");
  expect(sandbox.audit().charges.length).toBeLessThan(PAGES);
  const next = await serve();
  await next.waitFor(/run \S+ ended: completed/);
  await stop(next);
  await expectMatchingAccounts({ charges: PAGES });
});
