/** Workers: BullMQ's `worker.test.ts`, `delay.test.ts`, `concurrency.test.ts` and `worker-get-next-job.test.ts`. */
import { DelayedError, type Job, UnrecoverableError, WaitingError } from "bullmq";
import { describe, expect, test } from "vitest";
import { createGate } from "../queue-contract.ts";
import { type BullmqBackend, namesOf, openWorld, TOKEN, take, takeNames, untilEmitted } from "./bullmq-world.ts";

const SOON_MS = 40;
const LATER_MS = 60_000;

export function describeWorking(backend: () => BullmqBackend): void {
  const open = () => openWorld(backend());

  describe("a worker", () => {
    test("does the jobs in their order, stores their results, and says when none is left", async () => {
      const { queue, add, openWorker } = open();
      for (const name of ["a", "b", "c"]) {
        await add(name);
      }
      const worker = openWorker(async (job) => `did ${job.name}`, { autorun: false, name: "me" });
      const [completed, drained] = [untilEmitted(worker, "completed", 3), untilEmitted(worker, "drained")];
      worker.run();
      const results = (await completed).map(([job, result]) => [(job as Job).name, result]);
      expect(results).toEqual([
        ["a", "did a"],
        ["b", "did b"],
        ["c", "did c"],
      ]);
      await drained;
      const job = await queue.getJob("1");
      expect(job).toMatchObject({ returnvalue: "did a", attemptsMade: 1, attemptsStarted: 1, processedBy: "me" });
      expect(job?.processedOn).toBeGreaterThanOrEqual(job?.timestamp ?? Number.NaN);
    });

    test("that is idle wakes for each new job", async () => {
      const { add, openWorker } = open();
      const worker = openWorker(async () => {}, { drainDelay: 600 });
      for (const name of ["a", "b", "c"]) {
        const completed = untilEmitted(worker, "completed");
        await add(name);
        await completed;
      }
    });

    test("shares the jobs with others: each job is done once", async () => {
      const { add, openWorker } = open();
      const done: string[] = [];
      const gate = createGate();
      const process = async (job: Job) => {
        done.push(job.name);
        if (done.length === 20) {
          gate.open();
        }
      };
      for (let worker = 0; worker < 4; worker++) {
        openWorker(process, { concurrency: 2 });
      }
      const names = Array.from({ length: 20 }, (_, index) => `job-${index}`);
      await Promise.all(names.map((name) => add(name)));
      await gate.opened;
      expect(done.sort()).toEqual(names.sort());
    });

    test("does as many jobs at once as its concurrency allows, and no more than the queue allows for all workers", async () => {
      const { queue, add, openWorker } = open();
      await queue.setGlobalConcurrency(2);
      let running = 0;
      let most = 0;
      const process = async () => {
        running += 1;
        most = Math.max(most, running);
        await queue.getJobCounts();
        running -= 1;
      };
      const workers = [openWorker(process, { concurrency: 3 }), openWorker(process, { concurrency: 3 })];
      const completed = new Promise<void>((resolve) => {
        let left = 12;
        for (const worker of workers) {
          worker.on("completed", () => {
            left -= 1;
            if (left === 0) {
              resolve();
            }
          });
        }
      });
      await Promise.all(Array.from({ length: 12 }, (_, index) => add(`job-${index}`)));
      await completed;
      expect(most).toBeLessThanOrEqual(2);
    });

    test("that closes waits for its job, and takes no other", async () => {
      const { queue, add, openWorker } = open();
      const [started, gate] = [createGate(), createGate()];
      const worker = openWorker(async () => {
        started.open();
        await gate.opened;
      });
      await add("a");
      await add("b");
      await started.opened;
      const closing = worker.close();
      gate.open();
      await closing;
      expect(await queue.getJobCounts("completed", "waiting", "active")).toEqual({
        completed: 1,
        waiting: 1,
        active: 0,
      });
    });

    test("gets a job from a call that waits for one", async () => {
      const { add, openWorker } = open();
      const worker = openWorker(null, { drainDelay: 600 });
      expect(await take(worker)).toBeNull();
      const waiting = worker.getNextJob(TOKEN) as Promise<Job | undefined>;
      await add("a");
      expect((await waiting)?.name).toBe("a");
    });
  });

  describe("a job that fails", () => {
    test("is retried as often as its attempts allow, at once without a backoff", async () => {
      const { add, openWorker, openEvents } = open();
      const events = await openEvents();
      const exhausted = untilEmitted(events, "retries-exhausted");
      const attempts: number[] = [];
      openWorker(async (job) => {
        attempts.push(job.attemptsMade);
        throw new Error("no");
      });
      const job = await add("a", { attempts: 3 });
      await expect(job.waitUntilFinished(events)).rejects.toThrow("no");
      expect((await exhausted)[0]?.[0]).toEqual({ jobId: "1", attemptsMade: "3" });
      expect(attempts).toEqual([0, 1, 2]);
    });

    test("is retried after its backoff, and others meanwhile", async () => {
      const { add, openWorker, openEvents } = open();
      const events = await openEvents();
      const delayed = untilEmitted(events, "delayed");
      const order: string[] = [];
      openWorker(async (job) => {
        order.push(job.name);
        if (job.name === "bad" && job.attemptsMade === 0) {
          throw new Error("not yet");
        }
      });
      const bad = await add("bad", { attempts: 2, backoff: SOON_MS });
      await delayed;
      await (await add("good")).waitUntilFinished(events);
      await bad.waitUntilFinished(events);
      expect(order).toEqual(["bad", "good", "bad"]);
    });

    test("is not retried after an unrecoverable error", async () => {
      const { add, openWorker, openEvents, queue } = open();
      const events = await openEvents();
      openWorker(async () => {
        throw new UnrecoverableError("never");
      });
      const job = await add("a", { attempts: 5 });
      await expect(job.waitUntilFinished(events)).rejects.toThrow("never");
      expect(await queue.getJob("1")).toMatchObject({ attemptsMade: 1 });
    });
  });

  describe("a job that its processor returns", () => {
    test("runs again after the requested delay, and the delay is not counted as an attempt", async () => {
      const { add, openWorker, openEvents, queue } = open();
      const events = await openEvents();
      openWorker(async (job, token) => {
        if (job.attemptsStarted === 1) {
          await job.moveToDelayed(Date.now() + SOON_MS, token);
          throw new DelayedError();
        }
      });
      await (await add("a")).waitUntilFinished(events);
      expect(await queue.getJob("1")).toMatchObject({ attemptsMade: 1, attemptsStarted: 2 });
    });

    test("runs again next when it asked to wait", async () => {
      const { add, openWorker, openEvents, queue } = open();
      const events = await openEvents();
      openWorker(async (job, token) => {
        if (job.attemptsStarted === 1) {
          await job.moveToWait(token);
          throw new WaitingError();
        }
      });
      await (await add("a")).waitUntilFinished(events);
      expect(await queue.getJob("1")).toMatchObject({ attemptsMade: 1, attemptsStarted: 2 });
    });
  });

  describe("a delayed job", () => {
    test("is started when its time has come, not before", async () => {
      const { add, openWorker, openEvents, queue } = open();
      const events = await openEvents();
      openWorker(async () => {});
      const job = await add("a", { delay: SOON_MS });
      expect(await job.getState()).toBe("delayed");
      await job.waitUntilFinished(events);
      const done = await queue.getJob("1");
      expect((done?.processedOn ?? 0) - (done?.timestamp ?? 0)).toBeGreaterThanOrEqual(SOON_MS);
      expect(done?.delay).toBe(0);
    });

    test("is started in the order of the times, not of the adding; at the same time, in the order of adding", async () => {
      const { openWorker, openEvents, queue } = open();
      const events = await openEvents();
      const timestamp = Date.now();
      const jobs = [5, 3, 1, 1, 4, 1, 2].map((step, index) => ({
        name: `${step}-${index}`,
        data: {},
        opts: { delay: step * 10 + SOON_MS, timestamp },
      }));
      const added = await queue.addBulk(jobs);
      const order: string[] = [];
      openWorker(async (job) => {
        order.push(job.name);
      });
      await Promise.all(added.map((job) => job.waitUntilFinished(events)));
      expect(order).toEqual(["1-2", "1-3", "1-5", "2-6", "3-1", "4-4", "5-0"]);
    });

    test("does not delay one that is due earlier", async () => {
      const { add, openWorker, openEvents, queue } = open();
      const events = await openEvents();
      openWorker(async () => {});
      await add("in a year", { delay: 365 * 24 * 3_600_000 });
      await (await add("soon", { delay: SOON_MS })).waitUntilFinished(events);
      expect(namesOf(await queue.getDelayed())).toEqual(["in a year"]);
    });

    test("with a delay of zero is not delayed", async () => {
      const { add } = open();
      expect(await (await add("a", { delay: 0 })).getState()).toBe("waiting");
      expect(await (await add("b", { delay: 0, priority: 1 })).getState()).toBe("prioritized");
    });

    test("can be promoted, and keeps its priority", async () => {
      const { add, openWorker, queue } = open();
      const plain = await add("plain", { delay: LATER_MS });
      const prior = await add("prior", { delay: LATER_MS, priority: 1 });
      await prior.promote();
      await plain.promote();
      await expect(plain.promote()).rejects.toThrow("Job 1 is not in the delayed state. promote");
      expect(await queue.getJob("1")).toMatchObject({ delay: 0 });
      expect(await takeNames(openWorker(null), 2)).toEqual(["plain", "prior"]);
    });

    test("can be promoted with all others, the first due first", async () => {
      const { add, openWorker, queue } = open();
      for (const step of [3, 1, 2]) {
        await add(`${step}`, { delay: step * LATER_MS });
      }
      await queue.promoteJobs({ count: 2 });
      expect(await queue.getDelayedCount()).toBe(0);
      expect(await takeNames(openWorker(null), 3)).toEqual(["1", "2", "3"]);
    });

    test("wakes an idle worker when it is promoted, and when its delay is shortened", async () => {
      const { add, openWorker, openEvents } = open();
      const events = await openEvents();
      openWorker(async () => {}, { drainDelay: 600 });
      const first = await add("a", { delay: LATER_MS });
      await first.promote();
      await first.waitUntilFinished(events);
      const second = await add("b", { delay: LATER_MS });
      await second.changeDelay(SOON_MS);
      await second.waitUntilFinished(events);
      await expect(second.changeDelay(1)).rejects.toThrow("Job 2 is not in the delayed state. changeDelay");
    });
  });
}
