/** The properties and operations of a single job: BullMQ's `job.test.ts`, `queue.test.ts` and `bulk.test.ts`. */
import { describe, expect, test } from "vitest";
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
} from "./bullmq-world.ts";

export function describeJobs(backend: () => BullmqBackend): void {
  const open = () => openWorld(backend());

  describe("a job that is added", () => {
    test("gets the next number as its id; jobs with their own id are counted too", async () => {
      const { add } = open();
      const ids = [await add("a"), await add("b", { jobId: "own" }), await add("c"), await add("d", { jobId: "" })];
      expect(ids.map(({ id }) => id)).toEqual(["1", "own", "3", "4"]);
    });

    test("is kept as it was given, whatever happens to the caller's objects", async () => {
      const { queue } = open();
      const data = { list: [1] };
      const options = { timestamp: 1_234_567_890, attempts: 3, backoff: { type: "fixed", delay: 7 } };
      const job = await queue.add("name", data, options);
      data.list.push(2);
      options.backoff.delay = 8;
      const stored = await queue.getJob(job.id ?? "");
      expect(stored).toMatchObject({ name: "name", data: { list: [1] }, timestamp: 1_234_567_890, attemptsMade: 0 });
      expect(stored?.opts).toMatchObject({ attempts: 3, backoff: { type: "fixed", delay: 7 } });
    });

    test.each([0, null, "", false, [], "text"])("may have %j as its data", async (data) => {
      const { queue, openWorker } = open();
      await queue.add("a", data);
      expect((await take(openWorker(null)))?.data).toEqual(data);
    });

    test("is not added again under the same id, also when it is finished", async () => {
      const { queue, add, openWorker } = open();
      await add("first", { jobId: "same" });
      await add("second", { jobId: "same" });
      await complete(openWorker(null));
      await add("third", { jobId: "same" });
      expect(await queue.getJobCounts("waiting", "completed")).toEqual({ waiting: 0, completed: 1 });
      expect((await queue.getJob("same"))?.name).toBe("first");
    });

    test("is one of many when many are added: in order, with their own ids and options", async () => {
      const { queue, openWorker } = open();
      const added = await queue.addBulk([
        { name: "a", data: 1 },
        { name: "b", data: 2, opts: { jobId: "own" } },
        { name: "late", data: 3, opts: { delay: 60_000 } },
        { name: "c", data: 4 },
      ]);
      expect(added.map(({ id }) => id)).toEqual(["1", "own", "3", "4"]);
      expect(await takeNames(openWorker(null), 4)).toEqual(["a", "b", "c", "nothing"]);
    });

    test("takes the queue's default options, but its own have priority", async () => {
      const { openQueue } = open();
      const queue = openQueue({ defaultJobOptions: { attempts: 5, removeOnComplete: 3 } });
      const job = await queue.add("a", {}, { attempts: 2 });
      expect((await queue.getJob(job.id ?? ""))?.opts).toMatchObject({ attempts: 2, removeOnComplete: 3 });
    });
  });

  describe("a job's contents", () => {
    test("has data that can be replaced", async () => {
      const { queue, add } = open();
      const job = await add("a");
      await job.updateData({ other: true });
      expect((await queue.getJob("1"))?.data).toEqual({ other: true });
    });

    test.each([42, { done: 1, of: 3 }, "half", true, false])("has the progress %j", async (progress) => {
      const { queue, add } = open();
      const job = await add("a");
      expect((await queue.getJob("1"))?.progress).toBe(0);
      await job.updateProgress(progress);
      expect((await queue.getJob("1"))?.progress).toEqual(progress);
    });

    test("has a log that is read in both directions, in parts, and cleared except for its end", async () => {
      const { queue, add } = open();
      const job = await add("a");
      for (const line of ["1", "2", "3", "4"]) {
        await job.log(line);
      }
      expect(await queue.getJobLogs("1")).toEqual({ logs: ["1", "2", "3", "4"], count: 4 });
      expect(await queue.getJobLogs("1", 1, 2)).toEqual({ logs: ["2", "3"], count: 4 });
      expect(await queue.getJobLogs("1", 0, 1, false)).toEqual({ logs: ["4", "3"], count: 4 });
      await job.clearLogs(1);
      expect((await queue.getJobLogs("1")).logs).toEqual(["4"]);
      await job.clearLogs();
      expect(await queue.getJobLogs("1")).toEqual({ logs: [], count: 0 });
    });

    test("has a log with as many lines as its options say", async () => {
      const { queue, add } = open();
      const job = await add("a", { keepLogs: 2 });
      expect([await job.log("1"), await job.log("2"), await job.log("3")]).toEqual([1, 2, 2]);
      expect((await queue.getJobLogs("1")).logs).toEqual(["2", "3"]);
    });

    test("cannot be changed when the job is removed", async () => {
      const { queue, add } = open();
      const job = await add("a");
      await job.remove();
      expect(await queue.getJob("1")).toBeUndefined();
      await expect(job.updateData({})).rejects.toThrow("Missing key for job 1. updateData");
      await expect(job.updateProgress(1)).rejects.toThrow("Missing key for job 1. updateProgress");
      await expect(job.log("line")).rejects.toThrow("Missing key for job 1. addLog");
      await expect(job.changePriority({ priority: 1 })).rejects.toThrow("Missing key for job 1. changePriority");
      await expect(job.changeDelay(1)).rejects.toThrow("Missing key for job 1. changeDelay");
      await expect(job.promote()).rejects.toThrow("Job 1 is not in the delayed state. promote");
      await expect(job.retry()).rejects.toThrow("Missing key for job 1. reprocessJob");
      await expect(job.moveToCompleted(1, TOKEN)).rejects.toThrow("Missing key for job 1. moveToFinished");
      await expect(job.moveToDelayed(Date.now(), TOKEN)).rejects.toThrow("Missing key for job 1. moveToDelayed");
    });
  });

  describe("the order of jobs", () => {
    test("is the order of adding, or with lifo its reverse", async () => {
      const { add, openWorker } = open();
      await add("1");
      await add("2");
      await add("3", { lifo: true });
      await add("4", { lifo: true });
      expect(await takeNames(openWorker(null), 4)).toEqual(["4", "3", "1", "2"]);
    });

    test("puts jobs without a priority first, then the lowest number, then the first added", async () => {
      const { add, openWorker } = open();
      for (const [name, priority] of [
        ["c1", 3],
        ["b1", 2],
        ["a1", 1],
        ["b2", 2],
        ["none", 0],
        ["a2", 1],
      ] as const) {
        await add(name, { priority });
      }
      expect(await takeNames(openWorker(null), 6)).toEqual(["none", "a1", "a2", "b1", "b2", "c1"]);
    });

    test("follows a changed priority, also back to none, and before its peers with lifo", async () => {
      const { add, openWorker, queue } = open();
      const [a, b, c] = [await add("a", { priority: 1 }), await add("b", { priority: 2 }), await add("c")];
      await add("d", { priority: 2 });
      await a.changePriority({ priority: 3 });
      await b.changePriority({ priority: 0 });
      await c.changePriority({ priority: 2, lifo: true });
      expect(await queue.getCountsPerPriority([0, 1, 2, 3])).toEqual({ 0: 1, 1: 0, 2: 2, 3: 1 });
      expect(await takeNames(openWorker(null), 4)).toEqual(["b", "c", "d", "a"]);
    });
  });

  describe("an active job", () => {
    test("is finished only by the holder of its lock", async () => {
      const { add, openWorker, queue } = open();
      await add("a");
      const job = await takeExpected(openWorker(null));
      await expect(job.moveToCompleted(1, "another")).rejects.toThrow(
        "Lock mismatch for job 1. Cmd moveToFinished from active",
      );
      await expect(job.moveToFailed(new Error("x"), "another")).rejects.toMatchObject({ code: -6 });
      await expect(job.moveToDelayed(Date.now(), "another")).rejects.toMatchObject({ code: -6 });
      await job.moveToCompleted({ ok: 1 }, TOKEN, false);
      expect(await queue.getJob("1")).toMatchObject({ returnvalue: { ok: 1 }, attemptsMade: 1, attemptsStarted: 1 });
      await expect(job.moveToCompleted(1, TOKEN)).rejects.toThrow("Missing lock for job 1. moveToFinished");
    });

    test("that was never taken is not finished, even by a caller who needs no lock", async () => {
      const { add } = open();
      const job = await add("a");
      await expect(job.moveToCompleted(1, "0")).rejects.toMatchObject({ code: -3 });
    });

    test("is finished together with the start of the next job", async () => {
      const { add, openWorker } = open();
      await add("a");
      await add("b");
      const job = await takeExpected(openWorker(null));
      const next = (await job.moveToCompleted(1, TOKEN, true)) as [{ name: string }, string];
      expect([next[0].name, next[1]]).toEqual(["b", "2"]);
      expect(await job.getState()).toBe("completed");
    });

    test("keeps its lock as long as it is renewed by its holder", async () => {
      const { add, openWorker } = open();
      await add("a");
      const job = await takeExpected(openWorker(null));
      expect(await job.extendLock("another", 1_000)).toBe(0);
      expect(await job.extendLock(TOKEN, 1_000)).toBe(1);
      expect(await openWorker(null).extendJobLocks(["1", "2"], [TOKEN, TOKEN], 1_000)).toEqual(["2"]);
    });

    test("returns to its state of before, before the others", async () => {
      const { add, openWorker } = open();
      await add("a");
      await add("b");
      const worker = openWorker(null);
      await (await takeExpected(worker)).moveToWait(TOKEN);
      expect(await takeNames(worker, 2)).toEqual(["a", "b"]);
    });

    test("returns before its peers when it has a priority", async () => {
      const { add, openWorker } = open();
      for (const name of ["a", "b"]) {
        await add(name, { priority: 5 });
      }
      const worker = openWorker(null);
      await (await takeExpected(worker)).moveToWait(TOKEN);
      expect(await takeNames(worker, 2)).toEqual(["a", "b"]);
    });
  });

  describe("a finished job", () => {
    test("says why it failed, and where each attempt failed", async () => {
      const { add, openWorker, queue } = open();
      await add("a", { attempts: 2, stackTraceLimit: 1 });
      const worker = openWorker(null);
      await fail(worker, "one");
      expect(await (await queue.getJob("1"))?.getState()).toBe("waiting");
      await fail(worker, "two");
      const job = await queue.getJob("1");
      expect(job).toMatchObject({ failedReason: "two", attemptsMade: 2, attemptsStarted: 2 });
      expect(job?.stacktrace).toEqual([expect.stringContaining("Error: two")]);
      expect(job?.finishedOn).toBeGreaterThanOrEqual(job?.processedOn ?? Number.NaN);
    });

    test("is retried as a failed one, and as a completed one, without its result", async () => {
      const { add, openWorker, queue } = open();
      await add("a");
      const worker = openWorker(null);
      const failed = await fail(worker);
      await expect(failed.retry("completed")).rejects.toThrow("Job 1 is not in the completed state. reprocessJob");
      await failed.retry();
      expect(await queue.getJob("1")).toMatchObject({ attemptsMade: 1 });
      expect((await queue.getJob("1"))?.failedReason).toBeUndefined();
      const completed = await complete(worker);
      await completed.retry("completed", { resetAttemptsMade: true, resetAttemptsStarted: true });
      expect(await queue.getJob("1")).toMatchObject({ attemptsMade: 0, attemptsStarted: 0, returnvalue: null });
      expect(await completed.getState()).toBe("waiting");
    });

    test("is one of many that are retried", async () => {
      const { add, openWorker, queue } = open();
      const worker = openWorker(null);
      for (const name of ["a", "b", "c"]) {
        await add(name);
        await fail(worker);
      }
      await queue.retryJobs({ count: 2 });
      expect(await queue.getJobCounts("waiting", "failed")).toEqual({ waiting: 3, failed: 0 });
      expect(await takeNames(worker, 3)).toEqual(["a", "b", "c"]);
    });

    test.each([
      ["true", { removeOnComplete: true, removeOnFail: true }, [], []],
      ["2", { removeOnComplete: 2, removeOnFail: 2 }, ["c", "b"], ["f", "e"]],
      ["a count", { removeOnComplete: { count: 1 }, removeOnFail: { count: 1 } }, ["c"], ["f"]],
      ["an age", { removeOnComplete: { age: 60, count: 2 }, removeOnFail: { age: 60 } }, ["c", "b"], ["f", "e", "d"]],
      ["false", { removeOnComplete: false, removeOnFail: false }, ["c", "b", "a"], ["f", "e", "d"]],
    ])("stays as long as its options say: %s", async (_name, options, completed, failed) => {
      const { add, openWorker, queue } = open();
      const worker = openWorker(null, { removeOnComplete: { count: 0 } });
      for (const name of ["a", "b", "c"]) {
        await add(name, options);
        await complete(worker);
      }
      for (const name of ["d", "e", "f"]) {
        await add(name, options);
        await fail(worker);
      }
      expect(namesOf(await queue.getCompleted())).toEqual(completed);
      expect(namesOf(await queue.getFailed())).toEqual(failed);
    });

    test("stays as long as the worker says when the job has no such option", async () => {
      const { add, openWorker, queue } = open();
      const worker = openWorker(null, { removeOnComplete: { count: 1 }, removeOnFail: { count: 0 } });
      await add("a");
      await complete(worker);
      await add("b");
      await complete(worker);
      await add("c");
      await fail(worker);
      expect(namesOf(await queue.getCompleted())).toEqual(["b"]);
      expect(await queue.getFailedCount()).toBe(0);
    });
  });
}
