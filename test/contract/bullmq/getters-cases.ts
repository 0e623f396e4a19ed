/** What can be asked about jobs and a queue: BullMQ's `getters.test.ts`, and of `queue.test.ts` what asks. */
import { describe, expect, test } from "vitest";
import { type BullmqBackend, complete, fail, namesOf, openWorld, takeExpected } from "./bullmq-world.ts";

const LATER_MS = 60_000;

export function describeGetters(backend: () => BullmqBackend): void {
  /** A queue with jobs in every state. */
  async function openFilled() {
    const world = openWorld(backend());
    const { add, openWorker } = world;
    const worker = openWorker(null);
    for (const name of ["done-1", "done-2"]) {
      await add(name);
      await complete(worker);
    }
    await add("failed-1");
    await fail(worker);
    for (const name of ["active-1", "active-2"]) {
      await add(name);
      await takeExpected(worker);
    }
    await add("late-2", { delay: 2 * LATER_MS });
    await add("late-1", { delay: LATER_MS });
    await add("prior-2", { priority: 2 });
    await add("prior-1", { priority: 1 });
    for (const name of ["wait-1", "wait-2", "wait-3"]) {
      await add(name);
    }
    return world;
  }

  describe("asked about its jobs, a queue", () => {
    test("counts them by state", async () => {
      const { queue } = await openFilled();
      const counts = {
        active: 2,
        completed: 2,
        delayed: 2,
        failed: 1,
        prioritized: 2,
        waiting: 3,
        "waiting-children": 0,
      };
      expect(await queue.getJobCounts()).toEqual(counts);
      expect(await queue.getJobCounts("wait", "failed")).toEqual({ wait: 3, failed: 1 });
      expect(await queue.count()).toBe(7);
      expect(await queue.getDelayedCount(Date.now() + LATER_MS + 1_000)).toBe(1);
      expect(await queue.getCountsPerPriority([0, 1, 2, 3])).toEqual({ 0: 3, 1: 1, 2: 1, 3: 0 });
    });

    test("lists waiting jobs in the order in which they will be taken", async () => {
      const { queue } = await openFilled();
      expect(namesOf(await queue.getWaiting())).toEqual(["wait-1", "wait-2", "wait-3"]);
      expect(namesOf(await queue.getActive())).toEqual(["active-1", "active-2"]);
      expect(namesOf(await queue.getPrioritized())).toEqual(["prior-1", "prior-2"]);
      expect(namesOf(await queue.getDelayed())).toEqual(["late-1", "late-2"]);
    });

    test("lists finished jobs, the last first", async () => {
      const { queue } = await openFilled();
      expect(namesOf(await queue.getCompleted())).toEqual(["done-2", "done-1"]);
      expect(namesOf(await queue.getFailed())).toEqual(["failed-1"]);
      expect(await queue.getWaitingChildren()).toEqual([]);
    });

    test.each([
      [0, 0, true, ["wait-1"]],
      [1, 2, true, ["wait-2", "wait-3"]],
      [0, -1, true, ["wait-1", "wait-2", "wait-3"]],
      [-2, -1, true, ["wait-2", "wait-3"]],
      [10, 12, true, []],
      [0, 0, false, ["wait-3"]],
      [1, 5, false, ["wait-2", "wait-1"]],
      [0, -2, false, ["wait-3", "wait-2"]],
    ])("lists a part of the waiting jobs: %i to %i, oldest first %s", async (start, end, asc, expected) => {
      const { queue } = await openFilled();
      expect(namesOf(await queue.getJobs(["waiting"], start, end, asc))).toEqual(expected);
    });

    test.each([
      [0, 0, true, ["late-1"]],
      [1, -1, true, ["late-2"]],
      [0, 0, false, ["late-2"]],
      [5, 9, false, []],
    ])("lists a part of the delayed jobs: %i to %i, first due first %s", async (start, end, asc, expected) => {
      const { queue } = await openFilled();
      expect(namesOf(await queue.getJobs(["delayed"], start, end, asc))).toEqual(expected);
    });

    test("lists several states, one after the other, each job once", async () => {
      const { queue } = await openFilled();
      const jobs = await queue.getJobs(["completed", "waiting", "wait", "failed"], 0, 1, true);
      expect(namesOf(jobs)).toEqual(["done-1", "done-2", "wait-1", "wait-2", "failed-1"]);
      expect(await queue.getJobs()).toHaveLength(12);
    });

    test("says the state of each job", async () => {
      const { queue } = await openFilled();
      const stateOf = async (name: string) => {
        const job = (await queue.getJobs()).find((one) => one.name === name);
        return [await job?.getState(), await queue.getJobState(job?.id ?? "")];
      };
      expect(await stateOf("done-1")).toEqual(["completed", "completed"]);
      expect(await stateOf("failed-1")).toEqual(["failed", "failed"]);
      expect(await stateOf("active-1")).toEqual(["active", "active"]);
      expect(await stateOf("late-1")).toEqual(["delayed", "delayed"]);
      expect(await stateOf("prior-1")).toEqual(["prioritized", "prioritized"]);
      expect(await stateOf("wait-1")).toEqual(["waiting", "waiting"]);
      expect(await queue.getJobState("nobody")).toBe("unknown");
      expect(await queue.getJob("nobody")).toBeUndefined();
    });

    test("says whether a job is in a state", async () => {
      const { queue, add } = await openFilled();
      const [active] = await queue.getActive();
      expect([await active?.isActive(), await active?.isWaiting(), await active?.isCompleted()]).toEqual([
        true,
        false,
        false,
      ]);
      const delayed = await add("late-3", { delay: LATER_MS });
      expect([await delayed.isDelayed(), await delayed.isFailed(), await delayed.isWaitingChildren()]).toEqual([
        true,
        false,
        false,
      ]);
    });
  });

  describe("asked about itself, a queue", () => {
    test("lists its workers by name and its listeners, and none of another queue", async () => {
      const { queue, openWorker, openEvents } = openWorld(backend());
      const other = openWorld(backend());
      const [one, two] = [openWorker(async () => {}, { name: "one" }), openWorker(async () => {}, { autorun: false })];
      await Promise.all([
        one.waitUntilReady(),
        two.waitUntilReady(),
        other.openWorker(async () => {}).waitUntilReady(),
      ]);
      await openEvents();
      await expect.poll(() => queue.getWorkersCount()).toBe(2);
      const names = (await queue.getWorkers()).map(({ rawname }) => rawname?.split(":w:")[1]);
      expect(names.sort()).toEqual(["one", undefined]);
      await expect.poll(async () => (await queue.getQueueEvents()).length).toBe(1);
      await one.close();
      await expect.poll(() => queue.getWorkersCount()).toBe(1);
    });

    test("says whether it is paused, and how many jobs may run at once", async () => {
      const { queue } = openWorld(backend());
      expect([await queue.isPaused(), await queue.getGlobalConcurrency(), await queue.isMaxed()]).toEqual([
        false,
        null,
        false,
      ]);
      await queue.pause();
      await queue.setGlobalConcurrency(2);
      expect(await queue.getMeta()).toMatchObject({ paused: true, concurrency: 2, maxLenEvents: 10_000 });
      await queue.resume();
      await queue.removeGlobalConcurrency();
      expect([await queue.isPaused(), await queue.getGlobalConcurrency()]).toEqual([false, null]);
      expect(await queue.getVersion()).toMatch(/^bullmq:6\./);
    });

    test("has no rate limit and no metrics", async () => {
      const { queue } = openWorld(backend());
      expect([
        await queue.getGlobalRateLimit(),
        await queue.getRateLimitTtl(),
        await queue.removeRateLimitKey(),
      ]).toEqual([null, -2, 0]);
      expect(await queue.getMetrics("completed")).toEqual({
        meta: { count: 0, prevTS: 0, prevCount: 0 },
        data: [],
        count: 0,
      });
      expect(await queue.exportPrometheusMetrics()).toContain('state="waiting"} 0');
    });

    test("says that a job without children has none", async () => {
      const { queue, add } = openWorld(backend());
      const job = await add("a");
      expect(await job.getDependencies()).toEqual({ processed: {}, unprocessed: [], ignored: {}, failed: [] });
      expect(await job.getDependenciesCount()).toEqual({ processed: 0, unprocessed: 0, ignored: 0, failed: 0 });
      expect([await job.getChildrenValues(), await job.getIgnoredChildrenFailures()]).toEqual([{}, {}]);
      expect((await queue.getDependencies(job.id ?? "", "processed", 0, -1)).items).toEqual([]);
      await job.removeUnprocessedChildren();
      expect(await queue.getDeduplicationJobId("nobody")).toBeNull();
      expect(await queue.removeDeduplicationKey("nobody")).toBe(0);
    });
  });
}
