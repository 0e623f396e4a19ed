/** What depends on time in the embedded queue, with a fake clock. */
import type { JobJson, MinimalJob } from "bullmq";
import { describe, expect, test } from "vitest";
import { InProcessStore } from "../../../../src/queue/in-process/in-process-store.ts";
import { InProcessBackend } from "../../../../src/queue/in-process-backend.ts";

const LOCK_MS = 1_000;
const TOKEN = "token";

function open() {
  const clock = { now: 1_000_000 };
  const options = { lockDuration: LOCK_MS, stalledInterval: 50, maxStalledCount: 1 };
  const backend = new InProcessBackend(new InProcessStore(() => clock.now), "queue", options);
  const add = (id: string, opts: JobJson["opts"] = {}) =>
    backend.addJob({ name: id, data: "{}", opts, timestamp: clock.now } as JobJson, id);
  const take = async () => (await backend.moveToActive(TOKEN))[1];
  const complete = (id: string, keep: { age: number; count?: number; limit?: number }) =>
    backend.moveToCompleted({ id, opts: {} } as MinimalJob, 1, keep, TOKEN, false);
  return { clock, backend, add, take, complete };
}

describe("a lock", () => {
  test("lasts a millisecond less than its time, and not its time", async () => {
    const { clock, backend, add, take } = open();
    await add("a");
    await take();
    clock.now += LOCK_MS - 1;
    expect(await backend.extendLock("a", TOKEN, LOCK_MS)).toBe(1);
    clock.now += LOCK_MS;
    expect(await backend.extendLock("a", TOKEN, LOCK_MS)).toBe(0);
    await expect(backend.moveJobFromActiveToWait("a", TOKEN)).rejects.toMatchObject({ code: -2 });
    expect(await backend.remove("a")).toBe(1);
  });
});

describe("a stalled job", () => {
  test("is returned at the second check that finds it without a lock, and checks have an interval", async () => {
    const { clock, backend, add, take } = open();
    await add("a");
    await take();
    expect(await backend.moveStalledJobsToWait()).toEqual([]);
    clock.now += LOCK_MS;
    expect(await backend.moveStalledJobsToWait()).toEqual(["a"]);
    await take();
    clock.now += LOCK_MS;
    expect(await backend.moveStalledJobsToWait()).toEqual([]);
    expect(await backend.moveStalledJobsToWait()).toEqual([]);
    clock.now += 50;
    expect(await backend.moveStalledJobsToWait()).toEqual(["a"]);
    expect((await backend.getJobData("a"))?.deferredFailure).toBe("job stalled more than allowable limit");
  });

  test("is not stalled when its lock was renewed between two checks", async () => {
    const { clock, backend, add, take } = open();
    await add("a");
    await take();
    await backend.moveStalledJobsToWait();
    clock.now += LOCK_MS - 1;
    await backend.extendLocks(["a"], [TOKEN], LOCK_MS);
    expect(await backend.moveStalledJobsToWait()).toEqual([]);
  });
});

describe("finished jobs", () => {
  test("are removed when they reach their age limit, a bounded number at once", async () => {
    const { clock, backend, add, take, complete } = open();
    const keep = { age: 10, limit: 2 };
    for (const id of ["a", "b", "c", "d"]) {
      await add(id);
      await take();
      await complete(id, keep);
      clock.now += 1_000;
    }
    clock.now += 10_000;
    await add("e");
    await take();
    await complete("e", keep);
    expect(await backend.getRanges(["completed"], 0, -1, true)).toEqual([["c", "d", "e"]]);
  });
});

describe("delayed jobs", () => {
  test("are due at their time to the millisecond, and say when the next one is", async () => {
    const { clock, backend, add } = open();
    await add("late", { delay: 500 });
    await add("soon", { delay: 200 });
    const dueAt = clock.now + 200;
    expect(await backend.moveToActive(TOKEN)).toEqual([null, "", 0, dueAt]);
    clock.now = dueAt - 1;
    expect((await backend.moveToActive(TOKEN))[1]).toBe("");
    clock.now = dueAt;
    expect((await backend.moveToActive(TOKEN))[1]).toBe("soon");
    expect(await backend.getCounts(["delayed"], clock.now + 300)).toEqual([0]);
    expect(await backend.getCounts(["delayed"], clock.now + 301)).toEqual([1]);
  });

  test("of one millisecond keep their order when there are more than fit between two", async () => {
    const { backend, add } = open();
    for (let number = 0; number < 5_000; number++) {
      await add(`id-${String(number).padStart(5, "0")}`, { delay: 10 });
    }
    const [ids = []] = await backend.getRanges(["delayed"], 0, -1, true);
    expect(ids).toEqual([...ids].sort());
  });
});
