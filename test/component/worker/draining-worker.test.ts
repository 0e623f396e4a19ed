/** `--drain`: when a worker takes it that no run has work left. */
import { expect, test } from "vitest";
import { LicetError } from "../../../src/errors.ts";
import type { BeatAnswer } from "../../../src/worker/worker-port.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";
import { runScriptedWorker } from "./scripted-worker.ts";

const EXPIRED = new LicetError("WORKER_EXPIRED", "the service does not know this worker any more");

/** @param restartsAtMs from then on the service does not know the first session. @returns how long the worker stayed, ms */
async function drain(restartsAtMs: number): Promise<number> {
  const clock = createFakeClock();
  const startedAt = clock.now();
  let hellos = 0;
  const running = runScriptedWorker(clock, {
    client: {
      hello: async () => {
        hellos += 1;
        return { session: `session ${hellos}`, leaseMs: 10_000 } as never;
      },
      beat: async ({ session }): Promise<BeatAnswer> => {
        await clock.sleep(100);
        if (session === "session 1" && clock.now() - startedAt >= restartsAtMs) {
          throw EXPIRED;
        }
        const share = { concurrency: 1, requestsPerSecond: null, burst: 1, version: 1 };
        return { now: clock.now(), share, restMs: 0, works: [] };
      },
    },
    isDrained: true,
  });
  await clock.drive(running, () => true);
  return clock.now() - startedAt;
}

test("a worker to which nothing is offered leaves after two seconds", async () => {
  expect(await drain(Number.POSITIVE_INFINITY)).toBeLessThan(3_000);
});

test("one whose service was restarted waits for it to go on with its runs", async () => {
  expect(await drain(1_000)).toBeGreaterThan(10_000);
});
