/** The events of a queue: BullMQ's `events.test.ts`. */
import type { QueueEvents } from "bullmq";
import { describe, expect, test } from "vitest";
import { type BullmqBackend, complete, fail, openWorld, TOKEN, takeExpected, untilEmitted } from "./bullmq-world.ts";

const LATER_MS = 60_000;
const ALL = [
  "added",
  "waiting",
  "delayed",
  "active",
  "progress",
  "completed",
  "failed",
  "retries-exhausted",
  "drained",
  "duplicated",
  "removed",
  "cleaned",
  "paused",
  "resumed",
  "stalled",
] as const;

/** All events, as their names and fields, until one of them has come so often. */
async function listen(events: QueueEvents, last: (typeof ALL)[number], times = 1): Promise<unknown[][]> {
  const received: unknown[][] = [];
  for (const name of ALL) {
    (events.on as (name: string, listener: (...args: unknown[]) => void) => void)(name, (fields) =>
      received.push(name === "drained" ? [name] : [name, fields]),
    );
  }
  await untilEmitted(events, last, times);
  return received;
}

export function describeEvents(backend: () => BullmqBackend): void {
  const open = () => openWorld(backend());

  describe("a listener", () => {
    test("receives each step of a completed job", async () => {
      const { add, openWorker, openEvents } = open();
      const received = listen(await openEvents({ lastEventId: "0-0" }), "drained");
      const job = await add("a");
      const worker = openWorker(null);
      await takeExpected(worker);
      await job.updateProgress({ half: true });
      await job.moveToCompleted({ ok: 1 }, TOKEN, true);
      expect(await received).toEqual([
        ["added", { jobId: "1", name: "a" }],
        ["waiting", { jobId: "1" }],
        ["active", { jobId: "1", prev: "waiting" }],
        ["progress", { jobId: "1", data: { half: true } }],
        ["completed", { jobId: "1", returnvalue: { ok: 1 }, prev: "active" }],
        ["drained"],
      ]);
    });

    test("receives why a job failed, and when it had no attempt left", async () => {
      const { add, openWorker, openEvents } = open();
      const received = listen(await openEvents({ lastEventId: "0-0" }), "drained");
      await add("a", { attempts: 2 });
      const worker = openWorker(null);
      await fail(worker, "one");
      await fail(worker, "two");
      expect((await received).slice(2)).toEqual([
        ["active", { jobId: "1", prev: "waiting" }],
        ["waiting", { jobId: "1", prev: "active" }],
        ["active", { jobId: "1", prev: "waiting" }],
        ["failed", { jobId: "1", failedReason: "two", prev: "active" }],
        ["retries-exhausted", { jobId: "1", attemptsMade: "2" }],
        ["drained"],
      ]);
    });

    test("receives when a job is delayed, until when, promoted, and changed", async () => {
      const { add, openEvents } = open();
      const received = listen(await openEvents({ lastEventId: "0-0" }), "waiting");
      const job = await add("a", { delay: LATER_MS, timestamp: 1_000_000 });
      await job.promote();
      expect(await received).toEqual([
        ["added", { jobId: "1", name: "a" }],
        ["delayed", { jobId: "1", delay: 1_000_000 + LATER_MS }],
        ["waiting", { jobId: "1", prev: "delayed" }],
      ]);
    });

    test("receives ids that existed already, removals, cleanings and pauses", async () => {
      const { queue, add, openWorker, openEvents } = open();
      const received = listen(await openEvents({ lastEventId: "0-0" }), "resumed");
      await add("a", { jobId: "same" });
      await add("b", { jobId: "same" });
      await queue.remove("same");
      await add("c");
      await complete(openWorker(null));
      await queue.clean(0, 0);
      await queue.pause();
      await queue.resume();
      const quiet = new Set<unknown>(["added", "waiting", "active", "completed", "drained"]);
      expect((await received).filter(([name]) => !quiet.has(name))).toEqual([
        ["duplicated", { jobId: "same" }],
        ["removed", { jobId: "same", prev: "wait" }],
        ["cleaned", { count: "1" }],
        ["paused", {}],
        ["resumed", {}],
      ]);
    });

    test("receives that a finished job waits again", async () => {
      const { add, openWorker, openEvents } = open();
      const received = listen(await openEvents({ lastEventId: "0-0" }), "active", 2);
      await add("a");
      const worker = openWorker(null);
      const job = await fail(worker);
      await job.retry();
      await takeExpected(worker);
      expect((await received).at(-2)).toEqual(["waiting", { jobId: "1", prev: "failed" }]);
    });

    test("receives only new events, unless it asks for old ones", async () => {
      const { add, openEvents } = open();
      await add("before");
      const events = await openEvents();
      const received = untilEmitted(events, "added");
      await expect.poll(async () => add("after").then(() => Promise.race([received, null]))).not.toBeNull();
      expect((await received)[0]?.[0]).toMatchObject({ name: "after" });
      const replayed = untilEmitted(await openEvents({ lastEventId: "0-0" }), "added");
      expect((await replayed)[0]?.[0]).toEqual({ jobId: "1", name: "before" });
    });

    test("receives custom events", async () => {
      const { openEvents, openProducer } = open();
      const received = untilEmitted(await openEvents({ lastEventId: "0-0" }), "greeting");
      await openProducer().publishEvent({ eventName: "greeting", text: "hello" });
      expect((await received)[0]?.[0]).toEqual({ text: "hello" });
    });

    test("receives as many events as the queue keeps", async () => {
      const { queue, add, openEvents } = open();
      for (let index = 0; index < 300; index++) {
        await add(`${index}`);
      }
      expect(await queue.trimEvents(0)).toBeGreaterThan(0);
      const received = untilEmitted(await openEvents({ lastEventId: "0-0" }), "added");
      await add("last");
      expect((await received)[0]?.[0]).toMatchObject({ name: expect.stringMatching(/^(last|2\d\d)$/) });
    });

    test("gets the result of a job, also after its end", async () => {
      const { add, openWorker, openEvents } = open();
      const events = await openEvents();
      const [good, bad] = [await add("good"), await add("bad")];
      const waiting = good.waitUntilFinished(events);
      const worker = openWorker(null);
      await complete(worker);
      expect(await waiting).toBe("result");
      await fail(worker, "no");
      expect(await good.waitUntilFinished(events)).toBe("result");
      await expect(bad.waitUntilFinished(events)).rejects.toThrow("no");
      await good.remove();
      await expect(good.waitUntilFinished(events)).rejects.toThrow("Missing key for job");
    });
  });
}
