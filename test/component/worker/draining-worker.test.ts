/** `--drain`: when a worker takes it that no run has work left. */
import { expect, test } from "vitest";
import { LicetError } from "../../../src/errors.ts";
import { createIds } from "../../../src/ids.ts";
import type { BeatAnswer } from "../../../src/worker/worker-port.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";
import { createScriptedGateway } from "../../doubles/scripted-gateway.ts";
import { runScriptedWorker } from "./scripted-worker.ts";

/** What the service is from some instant on: with runs, without, or away. */
type Phase = "runs" | "none" | "restarted" | "away";

const ERRORS = {
  restarted: new LicetError("WORKER_EXPIRED", "the service does not know this worker any more"),
  away: new LicetError("SERVICE_UNREACHABLE", "nobody listens there", { details: { url: "" } }),
} as const;

/**
 * A service that never offers anything.
 * @param givenUpUntilMs until then the gateway may work on a request that the worker has given up. @default it does not
 * @returns how long the worker stayed, ms
 */
async function drain(phases: readonly (readonly [fromMs: number, Phase])[], givenUpUntilMs = 0): Promise<number> {
  const clock = createFakeClock();
  const startedAt = clock.now();
  const phase = () => phases.findLast(([fromMs]) => clock.now() - startedAt >= fromMs)?.[1] ?? "none";
  let hellos = 0;
  const gateway = createScriptedGateway(clock.now);
  const limits = {
    ...gateway.limits,
    get inFlight() {
      return clock.now() - startedAt < givenUpUntilMs ? 1 : 0;
    },
  };
  const running = runScriptedWorker(clock, {
    client: {
      hello: async () => {
        if (phase() === "away") {
          throw ERRORS.away;
        }
        hellos += 1;
        return { session: `session ${hellos}`, leaseMs: 10_000 } as never;
      },
      beat: async ({ session }): Promise<BeatAnswer> => {
        await clock.sleep(100);
        const now = phase();
        if (now === "away" || (now === "restarted" && session === "session 1")) {
          throw ERRORS[now];
        }
        const share = { concurrency: 1, requestsPerSecond: null, burst: 1, version: 1 };
        return { now: clock.now(), share, restMs: 0, works: [], hasRuns: now !== "none" };
      },
    },
    tools: async () => ({ gateway: { ...gateway, limits }, ids: createIds(), converter: null as never }),
    isDrained: true,
  });
  await clock.drive(running, () => true);
  return clock.now() - startedAt;
}

test("a worker whose service has no run leaves after two seconds", async () => {
  expect(await drain([[0, "none"]])).toBeLessThan(3_000);
});

test("it stays while the gateway may work on a request of it: its share goes to others when it has left", async () => {
  expect(await drain([[0, "none"]], 6_000)).toBeGreaterThanOrEqual(6_000);
});

test("one whose service has a run stays, also where nothing of it is offered, as while the service stops or waits for the gateway", async () => {
  const stayedMs = await drain([
    [0, "runs"],
    [20_000, "none"],
  ]);
  expect(stayedMs).toBeGreaterThan(21_000);
});

test("one whose service was restarted in the middle of a run waits until the next service has no run", async () => {
  const stayedMs = await drain([
    [0, "runs"],
    [5_000, "away"],
    [60_000, "restarted"],
    [80_000, "none"],
  ]);
  expect(stayedMs).toBeGreaterThan(81_000);
});

test("one that was about to leave when its service ended leaves", async () => {
  const stayedMs = await drain([
    [0, "none"],
    [1_000, "away"],
  ]);
  expect(stayedMs).toBeLessThan(5_000);
});
