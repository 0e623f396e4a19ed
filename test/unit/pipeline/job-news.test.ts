import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createJobBoard } from "../../../src/pipeline/job-news.ts";
import { createFakeClock } from "../../support/fake-clock.ts";

/** "waiting" while the promise has not resolved after everything that is ready has run. */
async function stateOf(work: Promise<void>): Promise<"over" | "waiting"> {
  const later = new Promise<"waiting">((resolve) => setImmediate(() => resolve("waiting")));
  return Promise.race([work.then(() => "over" as const), later]);
}

describe("the job board", () => {
  const never = new AbortController().signal;

  it("wakes the dispatcher when a job ends", async () => {
    const board = createJobBoard(createFakeClock());
    board.begin("1.1");
    const wait = board.wait(500, never);
    expect(await stateOf(wait)).toBe("waiting");
    board.end("1.1");
    await wait;
    expect(board.takeEnded()).toEqual(["1.1"]);
  });

  it("does not lose a job that ended before the wait began", async () => {
    const board = createJobBoard(createFakeClock());
    board.begin("1.1");
    board.end("1.1");
    await board.wait(500, never);
    expect(board.takeEnded()).toEqual(["1.1"]);
    expect(board.takeEnded()).toEqual([]);
  });

  it("waits no longer than it was told to", async () => {
    const clock = createFakeClock();
    const wait = createJobBoard(clock).wait(500, never);
    clock.advance(499);
    expect(await stateOf(wait)).toBe("waiting");
    clock.advance(1);
    await wait;
  });

  it("ends the wait when the signal aborts, also when it was aborted before", async () => {
    const board = createJobBoard(createFakeClock());
    const stop = new AbortController();
    const wait = board.wait(500, stop.signal);
    stop.abort();
    await wait;
    await board.wait(500, stop.signal);
  });

  it("is woken by a nudge, and a nudge while nobody waits is not kept", async () => {
    const board = createJobBoard(createFakeClock());
    const wait = board.wait(500, never);
    board.nudge();
    await wait;
    board.nudge();
    expect(await stateOf(board.wait(500, never))).toBe("waiting");
  });

  it("keeps a job active until it has ended as often as it began", () => {
    const board = createJobBoard(createFakeClock());
    board.begin("1.1");
    board.begin("1.2");
    board.end("1.1");
    expect([...board.active]).toEqual(["1.2"]);
  });

  it("leaves nothing behind on the signal of a long run", async () => {
    const clock = createFakeClock();
    const board = createJobBoard(clock);
    const stop = new AbortController();
    for (let round = 0; round < 50; round++) {
      const wait = board.wait(500, stop.signal);
      clock.advance(500);
      await wait;
    }
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
    expect(clock.sleeping).toBe(0);
  });
});
