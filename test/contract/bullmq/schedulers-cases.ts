/** Job schedulers: BullMQ's `job_scheduler.test.ts`. */
import { describe, expect, test } from "vitest";
import { type BullmqBackend, namesOf, openWorld, TOKEN, take, takeExpected, untilEmitted } from "./bullmq-world.ts";

const HOUR_MS = 3_600_000;
const OFTEN_MS = 30;
/** Never in the time of a test. */
const RARE = "0 0 1 1 *";

export function describeSchedulers(backend: () => BullmqBackend): void {
  const open = () => openWorld(backend());

  describe("a job scheduler", () => {
    test("adds its first job at once, and the next one when the first is taken", async () => {
      const { queue, openWorker } = open();
      await queue.upsertJobScheduler(
        "hourly",
        { every: HOUR_MS },
        { name: "tick", data: { n: 1 }, opts: { attempts: 3 } },
      );
      const job = await takeExpected(openWorker(null));
      expect(job).toMatchObject({ name: "tick", data: { n: 1 }, repeatJobKey: "hourly", opts: { attempts: 3 } });
      const [next] = await queue.getDelayed();
      expect(next).toMatchObject({ name: "tick", data: { n: 1 }, repeatJobKey: "hourly" });
      expect(Number(next?.id?.split(":")[2]) - Number(job.id?.split(":")[2])).toBe(HOUR_MS);
      expect(await take(openWorker(null))).toBeNull();
    });

    test("continues by itself", async () => {
      const { queue, openWorker } = open();
      const worker = openWorker(async () => {});
      const completed = untilEmitted(worker, "completed", 3);
      await queue.upsertJobScheduler("often", { every: OFTEN_MS });
      await completed;
      expect((await queue.getJobScheduler("often"))?.iterationCount).toBeGreaterThanOrEqual(3);
      await queue.removeJobScheduler("often");
    });

    test("follows a cron pattern in its time zone", async () => {
      const { queue } = open();
      const job = await queue.upsertJobScheduler("yearly", { pattern: RARE, tz: "Asia/Tokyo" });
      const dueAt = Number(job?.id?.split(":")[2]);
      expect(new Date(dueAt + 9 * HOUR_MS).toISOString()).toMatch(/-01-01T00:00:00\.000Z$/);
      expect(await job?.getState()).toBe("delayed");
      expect(await queue.getJobScheduler("yearly")).toMatchObject({
        key: "yearly",
        pattern: RARE,
        tz: "Asia/Tokyo",
        next: dueAt,
      });
    });

    test("is replaced by one with its id: there is one next job, with the new contents", async () => {
      const { queue } = open();
      for (const n of [1, 2, 3]) {
        await queue.upsertJobScheduler("one", { pattern: RARE }, { name: `name-${n}`, data: { n } });
      }
      expect(namesOf(await queue.getDelayed())).toEqual(["name-3"]);
      expect(await queue.getJobSchedulers()).toEqual([
        expect.objectContaining({ key: "one", name: "name-3", template: { data: { n: 3 } }, pattern: RARE }),
      ]);
    });

    test("with a changed interval begins anew", async () => {
      const { queue } = open();
      await queue.upsertJobScheduler("one", { every: HOUR_MS }, { opts: { priority: 4 } });
      await queue.upsertJobScheduler("one", { every: 2 * HOUR_MS });
      expect(await queue.getJobCounts("waiting", "delayed", "prioritized")).toEqual({
        waiting: 1,
        delayed: 0,
        prioritized: 0,
      });
      expect(await queue.getJobScheduler("one")).toMatchObject({ every: 2 * HOUR_MS });
    });

    test("keeps its slots when it is set again while its job is active", async () => {
      const { queue, openWorker } = open();
      await queue.upsertJobScheduler("one", { every: HOUR_MS });
      const job = await takeExpected(openWorker(null));
      await queue.upsertJobScheduler("one", { every: HOUR_MS }, { name: "new" });
      const delayed = await queue.getDelayed();
      expect(namesOf(delayed)).toEqual(["new"]);
      expect(Number(delayed[0]?.id?.split(":")[2]) - Number(job.id?.split(":")[2])).toBe(HOUR_MS);
      await job.moveToCompleted(1, TOKEN, false);
    });

    test("starts at its start date, and ends after its number of jobs", async () => {
      const { queue, openWorker } = open();
      const startDate = Date.now() + HOUR_MS;
      await queue.upsertJobScheduler("later", { every: HOUR_MS, startDate });
      expect((await queue.getJobScheduler("later"))?.next).toBe(startDate);
      await queue.removeJobScheduler("later");
      await queue.upsertJobScheduler("once", { every: HOUR_MS, limit: 1 });
      await takeExpected(openWorker(null));
      expect(await queue.getDelayedCount()).toBe(0);
      expect(await queue.getJobScheduler("once")).toMatchObject({ limit: 1 });
    });

    test("refuses two rules, no rule, and an end in the past", async () => {
      const { queue } = open();
      await expect(queue.upsertJobScheduler("x", { every: 1, pattern: RARE })).rejects.toThrow(
        "Both .pattern and .every",
      );
      await expect(queue.upsertJobScheduler("x", {})).rejects.toThrow("Either .pattern or .every");
      await expect(queue.upsertJobScheduler("x", { every: 1, endDate: 1 })).rejects.toThrow("End date must be greater");
      expect(await queue.getJobSchedulersCount()).toBe(0);
    });

    test("is listed by the due time of its next job", async () => {
      const { queue } = open();
      for (const [id, hours] of [
        ["c", 3],
        ["a", 1],
        ["b", 2],
      ] as const) {
        await queue.upsertJobScheduler(id, { every: HOUR_MS, startDate: Date.now() + hours * HOUR_MS });
      }
      const keys = async (...range: [number, number, boolean]) =>
        (await queue.getJobSchedulers(...range)).map(({ key }) => key);
      expect([await keys(0, -1, true), await keys(0, -1, false), await keys(1, 1, true)]).toEqual([
        ["a", "b", "c"],
        ["c", "b", "a"],
        ["b"],
      ]);
      expect(await queue.getJobSchedulersCount()).toBe(3);
      expect(await queue.getJobScheduler("nobody")).toBeUndefined();
    });

    test("is removed together with its next job, and only once", async () => {
      const { queue } = open();
      await queue.upsertJobScheduler("one", { pattern: RARE });
      expect([await queue.removeJobScheduler("one"), await queue.removeJobScheduler("one")]).toEqual([true, false]);
      expect([await queue.getDelayedCount(), await queue.getJobSchedulersCount()]).toEqual([0, 0]);
    });

    test("keeps its next job when jobs are removed, drained and cleaned", async () => {
      const { queue, add } = open();
      const job = await queue.upsertJobScheduler("one", { pattern: RARE });
      await add("other", { delay: HOUR_MS });
      await expect(job?.remove()).rejects.toThrow(
        "belongs to a job scheduler and cannot be removed directly. removeJob",
      );
      expect(await queue.clean(0, 0, "delayed")).toEqual(["1"].map(() => expect.any(String)));
      await add("another", { delay: HOUR_MS });
      await queue.drain(true);
      expect((await queue.getDelayed()).map(({ repeatJobKey }) => repeatJobKey)).toEqual(["one"]);
    });

    test("is not stopped by a job that was promoted and done early", async () => {
      const { queue, openWorker } = open();
      const job = await queue.upsertJobScheduler("one", { every: HOUR_MS, startDate: Date.now() + HOUR_MS });
      await job?.promote();
      await takeExpected(openWorker(null));
      expect(await queue.getDelayedCount()).toBe(1);
    });
  });
}
