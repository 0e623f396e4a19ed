/** `--drain`: when a worker takes it that no run has work left. */
import { expect, test } from "vitest";
import { LicetError } from "../../../src/errors.ts";
import type { BeatAnswer } from "../../../src/worker/worker-port.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";
import { runScriptedWorker } from "./scripted-worker.ts";

/** What the service is from some instant on: with runs, without, or away. */
type Phase = "runs" | "none" | "restarted" | "away";

const ERRORS = {
  restarted: new LicetError("WORKER_EXPIRED", "the service does not know this worker any more"),
  away: new LicetError("SERVICE_UNREACHABLE", "nobody listens there", { details: { url: "" } }),
} as const;

/** A service that never offers anything. @returns how long the worker stayed, ms */
async function drain(phases: readonly (readonly [fromMs: number, Phase])[]): Promise<number> {
  const clock = createFakeClock();
  const startedAt = clock.now();
  const phase = () => phases.findLast(([fromMs]) => clock.now() - startedAt >= fromMs)?.[1] ?? "none";
  let hellos = 0;
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
    isDrained: true,
  });
  await clock.drive(running, () => true);
  return clock.now() - startedAt;
}

test("a worker whose service has no run leaves after two seconds", async () => {
  expect(await drain([[0, "none"]])).toBeLessThan(3_000);
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
