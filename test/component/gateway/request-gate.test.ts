import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_RETRY_AFTER_MS } from "../../../src/gateway/backoff.ts";
import { NOT_ADMITTED, RequestGate } from "../../../src/gateway/request-gate.ts";
import { createLeapingClock } from "./client-on-loopback.ts";

function createGate(options: { concurrency?: number; requestsPerSecond?: number | null } = {}) {
  const clock = createLeapingClock();
  const gate = new RequestGate({
    concurrency: options.concurrency ?? 2,
    requestsPerSecond: options.requestsPerSecond ?? null,
    clock,
    random: () => 1,
  });
  return { clock, gate };
}

test("admits requests at once up to its concurrency, then in order of arrival as others leave", async () => {
  const { gate } = createGate({ concurrency: 2 });
  expect([gate.enter(), gate.enter()]).toEqual([0, 0]);
  const order: string[] = [];
  const third = Promise.resolve(gate.enter()).then(() => order.push("third"));
  const fourth = Promise.resolve(gate.enter()).then(() => order.push("fourth"));
  gate.leave();
  await third;
  expect(order).toEqual(["third"]);
  gate.leave();
  await fourth;
  expect(order).toEqual(["third", "fourth"]);
});

test("a cancelled waiter takes no place from the next waiter", async () => {
  const { gate } = createGate({ concurrency: 1 });
  gate.enter();
  const stop = new AbortController();
  const given = gate.enter(stop.signal);
  const next = gate.enter();
  stop.abort();
  expect(await given).toBe(NOT_ADMITTED);
  gate.leave();
  expect(await next).toBe(0);
});

test("an aborted signal and a closed gate admit nobody", async () => {
  const { gate } = createGate({ concurrency: 1 });
  expect(gate.enter(AbortSignal.abort())).toBe(NOT_ADMITTED);
  gate.enter();
  const waiting = gate.enter();
  gate.close();
  expect(await waiting).toBe(NOT_ADMITTED);
  expect(gate.enter()).toBe(NOT_ADMITTED);
});

test("many answers to one event are one step; the next event is the second step", async () => {
  const { gate, clock } = createGate({ concurrency: 3 });
  const passes = [gate.enter(), gate.enter(), gate.enter()] as number[];
  for (const pass of passes) {
    gate.rateLimited(pass, null);
    gate.leave();
  }
  const second = await gate.enter();
  expect(clock.sleeps).toEqual([200]);
  gate.rateLimited(second, null);
  gate.leave();
  const third = await gate.enter();
  expect(clock.sleeps).toEqual([200, 400]);
  gate.served(third);
  gate.rateLimited(third, null);
  gate.leave();
  await gate.enter();
  expect(clock.sleeps).toEqual([200, 400, 200]);
});

test("an answer to a request from before the pause does not end the backoff", async () => {
  const { gate, clock } = createGate({ concurrency: 2 });
  const [early, limited] = [gate.enter(), gate.enter()] as number[];
  gate.rateLimited(limited as number, null);
  gate.leave();
  gate.served(early as number);
  gate.leave();
  gate.rateLimited(await gate.enter(), null);
  gate.leave();
  await gate.enter();
  expect(clock.sleeps).toEqual([200, 400]);
});

test("a late answer of the same event lengthens the pause, and never shortens it", async () => {
  const { gate, clock } = createGate({ concurrency: 4 });
  const passes = [gate.enter(), gate.enter(), gate.enter()] as number[];
  for (const [index, retryAfterMs] of [5000, 9000, 1000].entries()) {
    gate.rateLimited(passes[index] as number, retryAfterMs);
  }
  await gate.enter();
  expect(clock.sleeps).toEqual([9000]);
});

test("a Retry-After of 0 is followed once, not twice in a row", async () => {
  const { gate, clock } = createGate();
  const first = gate.enter() as number;
  gate.rateLimited(first, 0);
  gate.leave();
  const second = gate.enter();
  expect(typeof second).toBe("number");
  gate.rateLimited(second as number, 0);
  gate.leave();
  await gate.enter();
  expect(clock.sleeps).toEqual([400]);
});

test("a clock that was set back does not make a pause longer than the maximum", async () => {
  const { clock } = createGate();
  let offset = 0;
  const gate = new RequestGate({
    concurrency: 1,
    requestsPerSecond: null,
    random: () => 1,
    clock: { now: () => clock.now() + offset, sleep: clock.sleep },
  });
  gate.rateLimited(gate.enter() as number, 1000);
  gate.leave();
  offset = -86_400_000;
  await gate.enter();
  expect(clock.sleeps).toEqual([MAX_RETRY_AFTER_MS]);
});

test("admits no more requests per second than the rate and its small reserve, and not much fewer", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0.5, 1, 3, 20, 200, 1000),
      fc.integer({ min: 1, max: 300 }),
      async (perSecond, n) => {
        const { gate, clock } = createGate({ concurrency: 1000, requestsPerSecond: perSecond });
        const startedAt = clock.now();
        for (let index = 0; index < n; index += 1) {
          await gate.enter();
          gate.leave();
        }
        const seconds = (clock.now() - startedAt) / 1000;
        const reserve = Math.max(1, Math.ceil(perSecond / 20));
        expect(n).toBeLessThanOrEqual(perSecond * seconds + reserve + 1e-6);
        // A wait is rounded up to whole ms: at most one of them is lost per request.
        expect(seconds).toBeLessThanOrEqual(Math.max(0, n - reserve) * (1 / perSecond + 0.001) + 1e-6);
      },
    ),
    { numRuns: 40 },
  );
});

test("never exceeds its concurrency, and admits every request, in any order of leaving", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 0, max: 40 }),
      fc.infiniteStream(fc.integer({ min: 0, max: 3 })),
      async (concurrency, requests, turns) => {
        const { gate } = createGate({ concurrency });
        let inFlight = 0;
        let most = 0;
        let served = 0;
        const one = async () => {
          await gate.enter();
          inFlight += 1;
          most = Math.max(most, inFlight);
          for (let turn = turns.next().value ?? 0; turn > 0; turn -= 1) {
            await Promise.resolve();
          }
          inFlight -= 1;
          served += 1;
          gate.leave();
        };
        await Promise.all(Array.from({ length: requests }, one));
        expect(served).toBe(requests);
        expect(most).toBeLessThanOrEqual(concurrency);
      },
    ),
    { numRuns: 50 },
  );
});
