/** The sweep of the transport in a process whose timers are late: how long a request may be under way that never gets a connection. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { longestAnswerMs, Transport } from "../../../src/gateway/transport.ts";

const REQUEST = { method: "GET", path: "/", headers: [], body: null } as const;
const timeouts = fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 2_001, max: 120_000 }));
/** How late the timers are, in turns: fractions of the delay that each was set for. */
const delays = fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1, maxLength: 20 });

/** Timers that fire late, and a clock that moves with them. */
class LateProcess {
  readonly #lates: readonly number[];
  #timers: { readonly atMs: number; readonly call: () => void }[] = [];
  #set = 0;
  nowMs = 0;

  constructor(lates: readonly number[]) {
    this.#lates = lates;
  }

  readonly setTimeout = (call: () => void, ms: number) => {
    const late = this.#lates[this.#set % this.#lates.length] ?? 0;
    this.#set += 1;
    this.#timers.push({ atMs: this.nowMs + ms * (1 + late), call });
    const timer = { unref: () => timer };
    return timer;
  };

  /** @returns whether there was a timer */
  fireNext(): boolean {
    const next = this.#timers.toSorted((one, other) => one.atMs - other.atMs)[0];
    this.#timers = this.#timers.filter((timer) => timer !== next);
    this.nowMs = Math.max(this.nowMs, next?.atMs ?? 0);
    next?.call();
    return next !== undefined;
  }
}

interface Drawn {
  readonly timeoutMs: number;
  readonly lates: readonly number[];
  /** How many ticks the sweep has run when the request begins, and how far the next one is off. */
  readonly before: number;
  readonly phase: number;
  /** Beside the timers, the process stands still once for so long. */
  readonly stillMs: number;
}

/** No turn of the event loop passes: nothing comes from the network. @returns how long the request was under way, ms */
async function playUnanswered({ timeoutMs, lates, before, phase, stillMs }: Drawn): Promise<number> {
  const process = new LateProcess(lates);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => process.nowMs);
  vi.stubGlobal("setTimeout", process.setTimeout);
  const options = { origin: "http://127.0.0.1:1", connectTimeoutMs: 0, maxAnswerBytes: 1 };
  const transport = new Transport({ ...options, timeoutMs });
  try {
    const earlier = transport.send({ ...REQUEST, headers: [] });
    for (let tick = 0; tick < before; tick += 1) {
      process.fireNext();
    }
    process.nowMs += phase;
    const beganMs = process.nowMs;
    let endedMs: number | null = null;
    const asked = transport.send({ ...REQUEST, headers: [] }).then((answer) => {
      endedMs = process.nowMs;
      return answer;
    });
    process.nowMs += stillMs;
    while (endedMs === null && process.fireNext()) {
      await null;
      await null;
    }
    expect(await asked).toMatchObject({ kind: "failed", reason: "timeout", sent: false });
    await earlier;
    return (endedMs ?? Number.NaN) - beganMs;
  } finally {
    vi.unstubAllGlobals();
    clock.mockRestore();
    await transport.close();
  }
}

test("no request is under way for longer than the service waits for the share of a lost worker, however late timers are", async () => {
  const drawn = fc.record({
    timeoutMs: timeouts,
    lates: delays,
    before: fc.integer({ min: 0, max: 30 }),
    phase: fc.double({ min: 0, max: 9, noNaN: true }),
    stillMs: fc.constant(0),
  });
  await fc.assert(
    fc.asyncProperty(drawn, async (one) => {
      const tookMs = await playUnanswered(one);
      expect(tookMs).toBeLessThanOrEqual(longestAnswerMs(one.timeoutMs));
      expect(tookMs).toBeGreaterThan(4 * one.timeoutMs - 1);
    }),
  );
});

test("a process that is slower than its ticks sets no timer into the past, of which Node would warn", async () => {
  let nowMs = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => {
    nowMs += 15;
    return nowMs;
  });
  const timers = vi.spyOn(globalThis, "setTimeout");
  const transport = new Transport({
    origin: "http://127.0.0.1:1",
    connectTimeoutMs: 0,
    maxAnswerBytes: 1,
    timeoutMs: 10,
  });
  void transport.send({ ...REQUEST, headers: [] });
  clock.mockRestore();
  const delays = timers.mock.calls.map(([, delayMs]) => delayMs);
  timers.mockRestore();
  await transport.close();
  expect(delays).toEqual([0]);
});

test("a process that stands still ends its requests later by as long, and no request for it", async () => {
  const drawn = fc.record({
    timeoutMs: timeouts,
    lates: fc.constant([0]),
    before: fc.integer({ min: 0, max: 30 }),
    phase: fc.constant(0),
    stillMs: fc.integer({ min: 1_000, max: 1_000_000 }),
  });
  await fc.assert(
    fc.asyncProperty(drawn, async (one) => {
      const tookMs = await playUnanswered(one);
      expect(tookMs).toBeLessThanOrEqual(longestAnswerMs(one.timeoutMs) + one.stillMs);
      expect(tookMs).toBeGreaterThan(4 * one.timeoutMs + one.stillMs - 1);
    }),
  );
});

test("what a process had not sent when it stood still is not sent when others may have its share", async () => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end("{}");
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transport = new Transport({ origin, connectTimeoutMs: 1_000, maxAnswerBytes: 100, timeoutMs: 1_000 });
  onTestFinished(() => transport.close());
  let stoodMs = 0;
  const { now } = performance;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now.call(performance) + stoodMs);
  onTestFinished(() => clock.mockRestore());
  const sendAndStand = (ms: number) => {
    const answer = transport.send({ ...REQUEST, headers: [] });
    // Its connection is being opened.
    stoodMs += ms;
    return answer;
  };
  const late = await sendAndStand(longestAnswerMs(1_000) + 1);
  expect(late).toMatchObject({ kind: "failed", reason: "no_connection", sent: false });
  expect(await sendAndStand(1_000)).toMatchObject({ kind: "answered", status: 200 });
  expect(requests).toBe(1);
});
