/**
 * SIGSTOP until the lease has expired, then SIGCONT: another process does the frozen process's work meanwhile, and the frozen
 * process must not do it again.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { newsSite, ONE_PRICE } from "../doubles/cli-world.ts";
import { findRedisProblem, type RedisServer, startRedisServer } from "../doubles/redis-server.ts";
import { freezeAt, type Moment } from "./crash-order.ts";
import { CRASH_TIMEOUT_MS, type CrashWorld, createCrashWorld, findImpoliteness, untilStopped } from "./crash-world.ts";
import { chooseHalf, KILL_SEED } from "./kill-seed.ts";

vi.setConfig({ testTimeout: CRASH_TIMEOUT_MS });

const PAGES = 30;
/** Soon over, so that the other process does not wait for long. */
const SHORT_LEASES = { leaseMs: 300, flushLeaseMs: 300 };
/** Step, moment, and which call of the step. */
const FREEZES = [
  ["startPurchase", "after", 3],
  ["fetchContent", "before", 2],
  ["fetchContent", "sent", 2],
  ["settlePurchase", "before", 4],
  ["decide", "before", 1],
  ["recordAttempt", "after", 1],
  ["reportUsage", "after", 1],
] as const satisfies readonly (readonly [string, Moment, number])[];
const POLL_MS = 50;
/** Long enough for the thread of the ledger to commit. Nobody can write while a process is frozen in the middle of a transaction. */
const OUT_OF_TRANSACTION_MS = 20;
const problem = findRedisProblem();

describe.skipIf(problem !== null)(
  `a frozen process (LICET_KILL_SEED=${KILL_SEED})${problem === null ? "" : ` (skipped: ${problem})`}`,
  () => {
    let redis: RedisServer;
    let world: CrashWorld | null = null;
    beforeAll(async () => {
      redis = await startRedisServer();
    });
    afterEach(async () => {
      await world?.close();
      world = null;
    });
    afterAll(async () => {
      await redis?.stop();
    });

    async function open(): Promise<CrashWorld> {
      world = await createCrashWorld({
        sandbox: { sites: [newsSite(PAGES)], rates: ONE_PRICE, latencyMs: 8 },
        config: {
          queue: { url: redis.url },
          gateway: { concurrency: 4, quoteBatchSize: 10, catalogPageSize: 10 },
          reporting: { batchSize: 7 },
        },
      });
      return world;
    }

    test.each(chooseHalf(FREEZES))(
      "(%s, %s) while another process resumes its run and ends it: every page is bought once and reported once",
      async (step, moment, nth) => {
        const { start, here, resume, expectMatchingAccounts } = await open();
        const frozen = start(["run"], { ...freezeAt(step, moment, nth), limits: SHORT_LEASES });
        await untilStopped(frozen.child.pid);
        let resumed = await resume();
        while (/another process works on run|locked by another process/.test(resumed.stderr)) {
          await goOn(frozen.child, resumed.stderr.includes("locked") ? OUT_OF_TRANSACTION_MS : 0);
          resumed = await resume();
        }
        expect(resumed.code, resumed.stderr).toBeOneOf([0, 4]);
        frozen.child.kill("SIGCONT");
        const thawed = await frozen.result;
        expect(findImpoliteness(thawed)).toEqual([]);
        expect(thawed.code, thawed.stderr).toBeOneOf([0, 4]);
        // Content that came to it late settles what the other one had in doubt. The run is not its own any more, so it reports nothing.
        const reported = await here("report");
        expect(reported.code, reported.stderr).toBe(0);
        await expectMatchingAccounts({ charges: PAGES });
      },
    );
  },
);

/** Lets a frozen process go on for a moment, and waits. */
async function goOn(child: ChildProcess, forMs: number): Promise<void> {
  if (forMs > 0 && child.exitCode === null) {
    child.kill("SIGCONT");
    await new Promise((resolve) => setTimeout(resolve, forMs));
    child.kill("SIGSTOP");
    await Promise.race([untilStopped(child.pid), once(child, "exit")]);
  }
  await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
