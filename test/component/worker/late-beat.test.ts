/** A beat beside the usual ones, because the gateway asked for a rest, whose answer comes when its session is over. */
import { expect, test } from "vitest";
import { LicetError } from "../../../src/errors.ts";
import type { RequestShare } from "../../../src/gateway/gateway.ts";
import { createIds } from "../../../src/ids.ts";
import type { BeatAnswer } from "../../../src/worker/worker-port.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";
import { createScriptedGateway } from "../../doubles/scripted-gateway.ts";
import { runScriptedWorker } from "./scripted-worker.ts";

test("the share of a session that is over is not used in the next one", async () => {
  const clock = createFakeClock();
  const stop = new AbortController();
  const gateway = createScriptedGateway(clock.now);
  let rest = () => {};
  const used: number[] = [];
  const limits = {
    ...gateway.limits,
    onRest: (listener: () => void) => {
      rest = listener;
      return () => {};
    },
    setShare: ({ concurrency }: RequestShare) => void used.push(concurrency),
  };
  const answer = (concurrency: number, version: number): BeatAnswer => ({
    now: clock.now(),
    share: { concurrency, requestsPerSecond: null, burst: 1, version },
    restMs: 0,
    works: [],
    hasRuns: true,
  });
  let hellos = 0;
  let late = (_: BeatAnswer) => {};
  let beats = 0;
  const running = runScriptedWorker(clock, {
    client: {
      hello: async () => {
        hellos += 1;
        return { session: `session ${hellos}`, leaseMs: 10_000 } as never;
      },
      beat: async ({ session, mayWait }) => {
        await clock.sleep(100);
        if (session === "session 2") {
          beats += 1;
          if (beats === 2) {
            late(answer(9, 7));
          } else if (beats === 5) {
            stop.abort();
          }
          return answer(1, 1);
        }
        if (!mayWait) {
          return new Promise((resolve) => {
            late = resolve;
          });
        }
        rest();
        throw new LicetError("WORKER_EXPIRED", "the service does not know this worker any more");
      },
    },
    tools: async () => ({ gateway: { ...gateway, limits }, ids: createIds(), converter: null as never }),
    stop: stop.signal,
  });
  await clock.drive(running, () => true);
  expect(hellos).toBe(2);
  expect(used).toContain(1);
  expect(used).not.toContain(9);
});
