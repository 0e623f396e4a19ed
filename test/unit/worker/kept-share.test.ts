import { expect, test } from "vitest";
import { RequestGate } from "../../../src/gateway/request-gate.ts";
import { KeptShare } from "../../../src/worker/kept-share.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";

const LEASE_MS = 10_000;

function open() {
  const clock = createFakeClock();
  const gate = new RequestGate({ concurrency: 16, requestsPerSecond: null, clock, random: () => 0.5 });
  const share = new KeptShare(gate);
  share.begin(LEASE_MS);
  const take = (concurrency: number, version: number, sentMs = clock.now()) =>
    share.take(
      {
        now: 0,
        share: { concurrency, requestsPerSecond: null, burst: 1, version },
        restMs: 0,
        works: [],
        hasRuns: false,
      },
      sentMs,
    );
  return { clock, gate, share, take };
}

test("a worker that was suspended for longer than its share starts nothing before the service answers it", () => {
  const { clock, gate, take } = open();
  take(1, 1);
  void gate.enter();
  void gate.enter();
  clock.jump(LEASE_MS);
  // The answer to the first request lay there all the time, and comes before any timer.
  gate.leave();
  expect(gate.inFlight).toBe(0);
  take(1, 1);
  expect(gate.inFlight).toBe(1);
});

test("a share lasts from when the beat was sent, and an answer that was overtaken does not shorten it", () => {
  const { clock, gate, take } = open();
  take(4, 2);
  clock.advance(5_000);
  take(4, 2);
  take(9, 1, clock.now() - 4_000);
  clock.advance(LEASE_MS - 1);
  const passes = [1, 2, 3, 4, 5].map(() => typeof gate.enter());
  expect(passes).toEqual(["number", "number", "number", "number", "object"]);
  gate.leave();
  gate.leave();
  clock.advance(1);
  expect(typeof gate.enter()).toBe("object");
});

test("a rest that is heard of again is not a new one", () => {
  const { clock, gate } = open();
  expect(gate.rest(0)).toBe(false);
  expect(gate.rest(5_000)).toBe(true);
  expect(gate.rest(5_040)).toBe(false);
  clock.advance(3_000);
  expect(gate.rest(2_000)).toBe(false);
  expect(gate.rest(5_000)).toBe(true);
  expect(gate.pauseMs()).toBe(5_000);
});
