/** `--drain`: when a worker takes it that no run has work left. */
import { expect, test } from "vitest";
import { LicetError } from "../../../src/errors.ts";
import { createIds } from "../../../src/ids.ts";
import { runWorker } from "../../../src/worker/worker.ts";
import type { BeatAnswer } from "../../../src/worker/worker-port.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";
import { createScriptedGateway } from "../../doubles/scripted-gateway.ts";

const EXPIRED = new LicetError("WORKER_EXPIRED", "the service does not know this worker any more");

/** @param restartsAtMs from then on the service does not know the first session. @returns how long the worker stayed, ms */
async function drain(restartsAtMs: number): Promise<number> {
  const clock = createFakeClock();
  const startedAt = clock.now();
  let hellos = 0;
  const running = runWorker({
    name: "worker",
    places: 1,
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
      bye: async () => {},
      exchangeAs: () => () => new Promise(() => {}),
    },
    queues: {
      has: async () => true,
      ping: async () => {},
      startWorkers: async () => null as never,
      close: async () => {},
    },
    clock,
    random: () => 0.5,
    tools: async () => ({ gateway: createScriptedGateway(clock.now), ids: createIds(), converter: null as never }),
    jobsAtOnce: { walk: 1, quote: 1, acquire: 1, report: 1 },
    log: { info: () => {}, warn: () => {} },
    isDrained: true,
    stop: new AbortController().signal,
    end: new AbortController().signal,
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
