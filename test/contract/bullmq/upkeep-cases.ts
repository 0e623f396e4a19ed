/** Pausing, emptying and looking after a queue: BullMQ's `pause`, `clean`, `obliterate` and `stalled_jobs.test.ts`, of `queue.test.ts` drain. */
import type { Job } from "bullmq";
import { describe, expect, test } from "vitest";
import { createGate } from "../queue-contract.ts";
import {
  type BullmqBackend,
  complete,
  fail,
  namesOf,
  openWorld,
  TOKEN,
  take,
  takeExpected,
  takeNames,
  untilEmitted,
} from "./bullmq-world.ts";

const LATER_MS = 60_000;
const SOON_MS = 40;
/** A lock that has run out when it is looked at. */
const SHORT_LOCK_MS = 1;
const STALL_CHECK_MS = 20;
const STALLED_TOO_OFTEN = "job stalled more than allowable limit";

export function describeUpkeep(backend: () => BullmqBackend): void {
  const open = () => openWorld(backend());

  describe("a paused queue", () => {
    test("accepts jobs and starts none until it is resumed", async () => {
      const { queue, add, openWorker, openEvents } = open();
      const events = await openEvents();
      const worker = openWorker(async () => {}, { drainDelay: 600 });
      await worker.waitUntilReady();
      await queue.pause();
      const jobs = [await add("a"), await add("b", { priority: 1 })];
      expect(await take(openWorker(null))).toBeNull();
      expect(await queue.getJobCounts("waiting", "prioritized")).toEqual({ waiting: 1, prioritized: 1 });
      expect(namesOf(await queue.getWaiting())).toEqual(["a"]);
      await queue.resume();
      await Promise.all(jobs.map((job) => job.waitUntilFinished(events)));
    });

    test("lets delayed jobs become due, and starts them when it is resumed", async () => {
      const { queue, add, openWorker, openEvents } = open();
      const events = await openEvents();
      const worker = openWorker(async () => {});
      await worker.waitUntilReady();
      await queue.pause();
      const due = untilEmitted(events, "waiting");
      const job = await add("a", { delay: SOON_MS });
      await due;
      expect(await queue.getJobCounts("delayed", "waiting")).toEqual({ delayed: 0, waiting: 1 });
      await queue.resume();
      await job.waitUntilFinished(events);
    });

    test("wakes as many idle workers as it has jobs for, when it is resumed", async () => {
      const { queue, add, openWorker } = open();
      const both = createGate();
      let running = 0;
      const process = async () => {
        running += 1;
        if (running === 2) {
          both.open();
        }
        await both.opened;
      };
      const workers = [openWorker(process, { drainDelay: 600 }), openWorker(process, { drainDelay: 600 })];
      await Promise.all(workers.map((worker) => untilEmitted(worker, "drained")));
      await queue.pause();
      await add("a");
      await add("b");
      await queue.resume();
      await both.opened;
    });

    test("keeps a failed job that is to be retried at once", async () => {
      const { queue, add, openWorker } = open();
      await add("a", { attempts: 2 });
      const worker = openWorker(null);
      const job = await takeExpected(worker);
      await queue.pause();
      await job.moveToFailed(new Error("no"), TOKEN, true);
      expect([await job.getState(), await take(worker)]).toEqual(["waiting", null]);
      await queue.resume();
      expect((await take(worker))?.name).toBe("a");
    });
  });

  describe("a paused worker", () => {
    test("finishes its job, takes no other, and continues when it is resumed", async () => {
      const { queue, add, openWorker } = open();
      const [started, gate] = [createGate(), createGate()];
      const worker = openWorker(async () => {
        started.open();
        await gate.opened;
      });
      const completed = untilEmitted(worker, "completed", 2);
      await add("a");
      await add("b");
      await started.opened;
      const paused = worker.pause();
      gate.open();
      await paused;
      expect(await queue.getJobCounts("completed", "waiting", "active")).toEqual({
        completed: 1,
        waiting: 1,
        active: 0,
      });
      expect(worker.isPaused()).toBe(true);
      worker.resume();
      await completed;
    });

    test("is not woken by a new job, but by the resume", async () => {
      const { add, openWorker } = open();
      const worker = openWorker(async () => {}, { drainDelay: 600 });
      await worker.waitUntilReady();
      await worker.pause();
      const completed = untilEmitted(worker, "completed");
      const job = await add("a");
      expect(await job.getState()).toBe("waiting");
      worker.resume();
      await completed;
    });
  });

  describe("removing", () => {
    test("removes a job in any state, but not from a worker that has its lock", async () => {
      const { queue, add, openWorker } = open();
      const worker = openWorker(null);
      await add("done");
      await complete(worker);
      await add("bad");
      await fail(worker);
      await add("active");
      const active = await takeExpected(worker);
      const others = [await add("a"), await add("b", { priority: 1 }), await add("c", { delay: LATER_MS })];
      for (const job of [...(await queue.getJobs(["completed", "failed"])), ...others]) {
        await job.remove();
        expect(await job.getState()).toBe("unknown");
      }
      await expect(active.remove()).rejects.toThrow("could not be removed because it is locked by another worker");
      expect(await queue.remove(active.id ?? "")).toBe(0);
      expect(await queue.remove("nobody")).toBe(1);
      expect(namesOf(await queue.getJobs())).toEqual(["active"]);
    });

    test("removes thousands of jobs", async () => {
      const { queue } = open();
      const jobs = await queue.addBulk(
        Array.from({ length: 2_000 }, (_, index) => ({ name: "x", data: 0, opts: { delay: (index % 2) * LATER_MS } })),
      );
      await Promise.all(jobs.map((job) => job.remove()));
      expect(await queue.getJobCountByTypes()).toBe(0);
    });
  });

  describe("draining", () => {
    test("removes waiting jobs, with a priority too, and delayed jobs only on request", async () => {
      const { queue, add, openWorker } = open();
      const worker = openWorker(null);
      for (const name of ["done", "active"]) {
        await add(name);
      }
      await complete(worker);
      await takeExpected(worker);
      const addThree = async () => [
        await add("a"),
        await add("b", { priority: 1 }),
        await add("c", { delay: LATER_MS }),
      ];
      await addThree();
      await queue.drain();
      expect(namesOf(await queue.getJobs(["completed", "active", "waiting", "prioritized", "delayed"]))).toEqual([
        "done",
        "active",
        "c",
      ]);
      await addThree();
      await queue.drain(true);
      expect(await queue.getJobCounts("completed", "active", "waiting", "prioritized", "delayed")).toEqual({
        completed: 1,
        active: 1,
        waiting: 0,
        prioritized: 0,
        delayed: 0,
      });
    });
  });

  describe("cleaning", () => {
    test("removes nothing from an empty queue", async () => {
      const { queue } = open();
      const cleaned = untilEmitted(queue, "cleaned");
      expect(await queue.clean(0, 0)).toEqual([]);
      expect(await cleaned).toEqual([[[], "completed"]]);
    });

    test.each(["completed", "failed", "wait", "waiting", "delayed", "prioritized"] as const)(
      "removes jobs of one state that are old enough, up to a limit: %s",
      async (type) => {
        const { queue, add, openWorker } = open();
        const worker = openWorker(null);
        const options = type === "delayed" ? { delay: LATER_MS } : type === "prioritized" ? { priority: 1 } : {};
        for (const name of ["1", "2", "3"]) {
          await add(name, options);
          await (type === "completed" ? complete(worker) : type === "failed" ? fail(worker) : null);
        }
        expect(await queue.clean(LATER_MS, 0, type)).toEqual([]);
        expect(await queue.clean(0, 1, type)).toEqual(["1"]);
        expect((await queue.clean(0, 0, type)).sort()).toEqual(["2", "3"]);
        expect(await queue.getJobCountByTypes()).toBe(0);
      },
    );

    test("leaves active jobs to the workers with their locks, and removes the others", async () => {
      const { queue, add, openWorker } = open();
      await add("held");
      await add("lost");
      await takeExpected(openWorker(null));
      await takeExpected(openWorker(null, { lockDuration: SHORT_LOCK_MS }));
      await expect.poll(() => queue.clean(0, 0, "active")).toEqual(["2"]);
      expect(namesOf(await queue.getActive())).toEqual(["held"]);
    });
  });

  describe("obliterating", () => {
    test("removes everything, so that ids begin anew and nothing is paused", async () => {
      const { queue, add, openWorker } = open();
      const worker = openWorker(null);
      await queue.setGlobalConcurrency(5);
      for (const name of ["done", "bad", "a", "b"]) {
        await add(name, name === "b" ? { delay: LATER_MS } : {});
      }
      await complete(worker);
      await fail(worker);
      await queue.upsertJobScheduler("often", { every: LATER_MS });
      await queue.addJobLog("1", "line");
      await queue.obliterate();
      expect([await queue.getJobCountByTypes(), await queue.getJobSchedulersCount()]).toEqual([0, 0]);
      expect([await queue.isPaused(), await queue.getGlobalConcurrency()]).toEqual([false, null]);
      expect((await queue.getJobLogs("1")).logs).toEqual([]);
      expect((await add("new")).id).toBe("1");
    });

    test("is refused while jobs are active, unless it is forced", async () => {
      const { queue, add, openWorker } = open();
      await add("a");
      await add("b");
      const job = await takeExpected(openWorker(null));
      await expect(queue.obliterate()).rejects.toThrow("Cannot obliterate queue with active jobs");
      expect(await queue.getJobCountByTypes()).toBe(2);
      await queue.obliterate({ force: true });
      expect(await queue.getJobCountByTypes()).toBe(0);
      await expect(job.moveToCompleted(1, TOKEN)).rejects.toMatchObject({ code: -1 });
    });

    test("removes a large queue in parts", async () => {
      const { queue } = open();
      await queue.addBulk(Array.from({ length: 250 }, (_, index) => ({ name: `${index}`, data: 0 })));
      await queue.obliterate({ count: 100 });
      expect(await queue.getJobCountByTypes()).toBe(0);
    });
  });

  describe("a stalled job", () => {
    /** Takes the next job and lets its lock run out. */
    const lose = (world: ReturnType<typeof open>) =>
      takeExpected(world.openWorker(null, { lockDuration: SHORT_LOCK_MS, name: "dead" }));

    test("returns to another worker, before the others", async () => {
      const world = open();
      const { add, openWorker, openEvents, queue } = world;
      const events = await openEvents();
      await add("lost");
      await lose(world);
      await add("other");
      const [stalled, done] = [untilEmitted(events, "stalled"), untilEmitted(events, "completed", 2)];
      const worker = openWorker(async () => {}, { stalledInterval: STALL_CHECK_MS, autorun: false });
      await queue.pause();
      await worker.startStalledCheckTimer();
      expect((await stalled)[0]?.[0]).toEqual({ jobId: "1" });
      expect(await takeNames(openWorker(null), 1)).toEqual(["nothing"]);
      await queue.resume();
      worker.run();
      expect((await done).map(([event]) => (event as { jobId: string }).jobId)).toEqual(["1", "2"]);
      expect(await queue.getJob("1")).toMatchObject({ stalledCounter: 1, attemptsStarted: 2, attemptsMade: 1 });
    });

    test("fails when it stalled too often, and may be retried by hand", async () => {
      const world = open();
      const { add, openWorker, queue } = world;
      await add("lost");
      await lose(world);
      const worker = openWorker(async () => {}, { stalledInterval: STALL_CHECK_MS, maxStalledCount: 0 });
      const [[failed, error]] = (await untilEmitted(worker, "failed")) as [[Job, Error]];
      expect(error.message).toBe(STALLED_TOO_OFTEN);
      expect(await queue.getJob("1")).toMatchObject({
        failedReason: STALLED_TOO_OFTEN,
        attemptsMade: 1,
        attemptsStarted: 2,
      });
      const completed = untilEmitted(worker, "completed");
      await failed.retry();
      await completed;
    });

    test("is not stalled while its lock is renewed", async () => {
      const { add, openWorker } = open();
      // Longer than a busy machine may stand still.
      const lockDuration = 50 * STALL_CHECK_MS;
      const [started, gate] = [createGate(), createGate()];
      let attempts = 0;
      const worker = openWorker(
        async () => {
          attempts += 1;
          started.open();
          await gate.opened;
        },
        { lockDuration, stalledInterval: STALL_CHECK_MS, concurrency: 2 },
      );
      const [renewed, completed] = [untilEmitted(worker, "locksRenewed", 3), untilEmitted(worker, "completed")];
      await add("a");
      await started.opened;
      await renewed;
      gate.open();
      await completed;
      expect(attempts).toBe(1);
    });
  });
}
