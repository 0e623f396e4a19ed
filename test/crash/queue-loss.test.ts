/**
 * The queue is lost in the middle of a run, in each possible way. The run completes, or it ends with exit code 1 and one clear
 * message. Then it resumes to its end, and nothing was bought twice.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, type TestContext, test, vi } from "vitest";
import type { CliResult } from "../doubles/cli-process.ts";
import { newsSite, ONE_PRICE } from "../doubles/cli-world.ts";
import { findRedisProblem, type RedisServer, startRedisServer } from "../doubles/redis-server.ts";
import { killAt } from "./crash-order.ts";
import {
  CRASH_TIMEOUT_MS,
  type CrashWorld,
  createCrashWorld,
  findImpoliteness,
  hasUnfinishedRun,
} from "./crash-world.ts";

vi.setConfig({ testTimeout: CRASH_TIMEOUT_MS });

const PAGES = 60;
const POLL_MS = 2;
const problem = findRedisProblem();

type Cleanup = Pick<TestContext, "onTestFinished">;

async function open(url: string, { onTestFinished }: Cleanup): Promise<CrashWorld> {
  const world = await createCrashWorld({
    sandbox: { sites: [newsSite(PAGES)], rates: ONE_PRICE, latencyMs: 25 },
    config: {
      queue: { url },
      gateway: { concurrency: 2, quoteBatchSize: 4, catalogPageSize: 20 },
      reporting: { batchSize: 7 },
    },
  });
  onTestFinished(() => world.close());
  return world;
}

const runHere = ({ here }: CrashWorld) => here("run");

/** The message about a failed run: why it failed, and how to continue. */
function expectClearFailure(result: CliResult): void {
  expect(result.code, result.stderr).toBe(1);
  expect(findImpoliteness(result)).toEqual([]);
  expect(result.stderr).toMatch(/^licet: the queue .*(cannot be reached|memory is full)/m);
  expect(result.stderr).toMatch(/nothing is lost; continue with: licet run --resume run_\w+/);
  expect(result.stderr.match(/^ {2}hint: /gm)).toHaveLength(1);
}

// Most of these wait for a server that is lost: each has a server and a world of its own, and they wait together.
describe.skipIf(problem !== null)(
  `Redis${problem === null ? "" : ` (skipped: ${problem})`}`,
  { concurrent: true },
  () => {
    async function startOwnServer({ onTestFinished }: Cleanup): Promise<RedisServer> {
      const server = await startRedisServer();
      onTestFinished(() => server.stop());
      return server;
    }

    /** A run that is in the middle of its pages: in this process, or in one of its own. */
    async function runToTheMiddle<Running>(
      url: string,
      cleanup: Cleanup,
      begin: (world: CrashWorld) => Running,
    ): Promise<{ running: Running; opened: CrashWorld }> {
      const opened = await open(url, cleanup);
      const running = begin(opened);
      while (opened.sandbox.audit().charges.length < 8) {
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
      return { running, opened };
    }

    test("emptied by FLUSHALL repeatedly only delays a run", async (context) => {
      const server = await startOwnServer(context);
      const { running, opened } = await runToTheMiddle(server.url, context, runHere);
      for (const charges of [10, 20, 30]) {
        while (opened.sandbox.audit().charges.length < charges) {
          await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        }
        await server.flush();
      }
      const result = await running;
      expect(result.code, result.stderr).toBe(0);
      await opened.expectMatchingAccounts({ charges: PAGES });
    });

    test("killed and started again, empty, only delays a run", async (context) => {
      const server = await startOwnServer(context);
      const { running, opened } = await runToTheMiddle(server.url, context, runHere);
      await server.kill();
      await server.start();
      const result = await running;
      expect(result.code, result.stderr).toBe(0);
      await opened.expectMatchingAccounts({ charges: PAGES });
    });

    test("frozen for a moment only delays a run", async (context) => {
      const server = await startOwnServer(context);
      const { running, opened } = await runToTheMiddle(server.url, context, runHere);
      server.freeze();
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      server.thaw();
      expect((await running).code).toBe(0);
      await opened.expectMatchingAccounts({ charges: PAGES });
    });

    test.for<[string, (server: RedisServer) => Promise<unknown>, (server: RedisServer) => Promise<unknown>]>([
      ["killed for good", (server) => server.kill(), (server) => server.start()],
      ["frozen for good", async (server) => server.freeze(), async (server) => server.thaw()],
      [
        "out of memory",
        (server) => server.call("CONFIG", "SET", "maxmemory", "1"),
        (server) => server.call("CONFIG", "SET", "maxmemory", "0"),
      ],
    ])("%s ends a run with one clear message, and it resumes", async ([, lose, repair], context) => {
      const server = await startOwnServer(context);
      // In its own process, which must come to an end.
      const { running, opened } = await runToTheMiddle(server.url, context, ({ start }) => start(["run"]));
      await lose(server);
      const result = await running.result;
      expectClearFailure(result);
      await repair(server);
      await opened.settle({ charges: PAGES });
    });

    test("out of memory before a run refuses the run, and says so", async (context) => {
      const server = await startOwnServer(context);
      const opened = await open(server.url, context);
      await server.call("CONFIG", "SET", "maxmemory", "1");
      const result = await opened.resume();
      expect(result).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /^licet: new ledger: .*\nlicet: the queue .* its memory is full\n {2}hint: .*\n$/,
        ),
      });
      expect(hasUnfinishedRun(opened.ledgerFile)).toBe(false);
      await server.call("CONFIG", "SET", "maxmemory", "0");
      await opened.settle({ charges: PAGES });
    });

    test("contains nothing of a run that has ended; the rest of a killed run is removed when the run counts as dead", async (context) => {
      const server = await startOwnServer(context);
      const opened = await open(server.url, context);
      await opened.crawl(killAt("settlePurchase", "before", 3));
      await opened.settle({ charges: PAGES });
      const keys = (await server.call("KEYS", "*")) as string[];
      const listed = keys.flatMap((key) => /\/owners:([0-9a-f-]{36})$/.exec(key)?.[1] ?? []);
      expect(listed).toHaveLength(1);
      expect(keys.filter((key) => !key.includes("/owners:") && !key.includes(`/${listed[0]}/`))).toEqual([]);
    });
  },
);

describe("the embedded queue", () => {
  test("ends with its process, and the next process continues from the ledger alone", async (context) => {
    const opened = await open("embedded", context);
    await opened.crawl(killAt("settlePurchase", "before", 9));
    await opened.settle({ charges: PAGES });
    const files = await readdir(join(opened.directory, "data"));
    expect(files.filter((file) => !file.startsWith("licet.sqlite"))).toEqual([]);
  });
});
