import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createInFlightRegistry } from "../../../src/pipeline/work/in-flight-jobs.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";

/** "waiting" while the promise has not resolved after everything that is ready has run. */
async function stateOf(work: Promise<void>): Promise<"over" | "waiting"> {
  const later = new Promise<"waiting">((resolve) => setImmediate(() => resolve("waiting")));
  return Promise.race([work.then(() => "over" as const), later]);
}

describe("the jobs in flight", () => {
  const never = new AbortController().signal;

  it("wakes the dispatcher when a job ends", async () => {
    const inFlight = createInFlightRegistry(createFakeClock());
    inFlight.begin("1.1");
    const wait = inFlight.wait(500, never);
    expect(await stateOf(wait)).toBe("waiting");
    inFlight.end("1.1");
    await wait;
    expect(inFlight.takeEnded()).toEqual(["1.1"]);
  });

  it("does not lose a job that ended before the wait began", async () => {
    const inFlight = createInFlightRegistry(createFakeClock());
    inFlight.begin("1.1");
    inFlight.end("1.1");
    await inFlight.wait(500, never);
    expect(inFlight.takeEnded()).toEqual(["1.1"]);
    expect(inFlight.takeEnded()).toEqual([]);
  });

  it("waits no longer than its timeout", async () => {
    const clock = createFakeClock();
    const wait = createInFlightRegistry(clock).wait(500, never);
    clock.advance(499);
    expect(await stateOf(wait)).toBe("waiting");
    clock.advance(1);
    await wait;
  });

  it("ends the wait when the signal aborts, also when it was aborted before", async () => {
    const inFlight = createInFlightRegistry(createFakeClock());
    const stop = new AbortController();
    const wait = inFlight.wait(500, stop.signal);
    stop.abort();
    await wait;
    await inFlight.wait(500, stop.signal);
  });

  it("keeps a wake that comes while nobody waits, until the ended jobs are taken again", async () => {
    const inFlight = createInFlightRegistry(createFakeClock());
    inFlight.wake();
    await inFlight.wait(500, never);
    inFlight.takeEnded();
    const wait = inFlight.wait(500, never);
    expect(await stateOf(wait)).toBe("waiting");
    inFlight.wake();
    await wait;
  });

  it("keeps a job active until it has ended as often as it began", () => {
    const inFlight = createInFlightRegistry(createFakeClock());
    inFlight.begin("1.1");
    inFlight.begin("1.2");
    inFlight.end("1.1");
    expect([...inFlight.active]).toEqual(["1.2"]);
  });

  it("leaves no listener on the signal of a long run", async () => {
    const clock = createFakeClock();
    const inFlight = createInFlightRegistry(clock);
    const stop = new AbortController();
    for (let round = 0; round < 50; round++) {
      const wait = inFlight.wait(500, stop.signal);
      clock.advance(500);
      await wait;
    }
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
    expect(clock.sleeping).toBe(0);
  });
});
