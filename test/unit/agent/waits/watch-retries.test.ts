import { describe, expect, test } from "vitest";
import { type AgentEvents, EventBus } from "../../../../src/agent/events/events.ts";
import { createWaits } from "../../../../src/agent/waits/waits.ts";
import { watchRetries } from "../../../../src/agent/waits/watch-retries.ts";
import { createFakeClock } from "../../../doubles/fake-clock.ts";

const RETRY: AgentEvents["gateway.retry"] = {
  call: "rate_batch",
  because: "timeout",
  status: null,
  attempt: 4,
  attempts: 5,
  waitMs: 1_600,
};
const ANSWER: AgentEvents["gateway.request"] = {
  call: "catalog",
  method: "GET",
  url: "https://gateway.example",
  status: 200,
  failure: null,
  durationMs: 1,
};

function open() {
  const clock = createFakeClock();
  const bus = new EventBus();
  const waits = createWaits({
    clock,
    processes: { begin: () => "host:1:a", end: () => {} },
    ledger: async () => ({ writeWaits: async () => {} }),
  });
  const stop = watchRetries(bus, { waits, clock, runId: null, timeoutMs: 30_000 });
  return { clock, bus, waits, stop };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("the waits of the gateway's client", () => {
  test("begin with a retry that is worth saying, and end with an answer", () => {
    const { bus, waits, clock } = open();
    bus.emit("gateway.retry", { ...RETRY, attempt: 1, waitMs: 200 });
    expect(waits.current()).toEqual([]);
    expect(bus.listensTo("gateway.request")).toBe(false);
    bus.emit("gateway.retry", RETRY);
    expect(waits.current()).toEqual([
      {
        place: "gateway",
        runId: null,
        code: "GATEWAY_TIMEOUT",
        message: "rate_batch: timeout, attempt 4 of 5",
        hint: null,
        since: clock.now(),
        until: clock.now() + 1_600,
      },
    ]);
    bus.emit("gateway.request", { ...ANSWER, status: 503 });
    expect(waits.current()).toHaveLength(1);
    bus.emit("gateway.request", ANSWER);
    expect(waits.current()).toEqual([]);
    // Nobody describes requests any more.
    expect(bus.listensTo("gateway.request")).toBe(false);
  });

  test("of a pause that the gateway asked for end with it", async () => {
    const { bus, waits, clock, stop } = open();
    bus.emit("gateway.retry", { ...RETRY, because: "rate_limited", status: 429, attempt: 1, waitMs: 60_000 });
    expect(waits.current()).toMatchObject([{ place: "rate_limit", code: "GATEWAY_RATE_LIMITED" }]);
    clock.advance(59_000);
    await settle();
    expect(waits.current()).toHaveLength(1);
    clock.advance(3_000);
    await settle();
    expect(waits.current()).toEqual([]);
    stop();
  });
});
