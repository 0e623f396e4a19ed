import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type OpenQueueOptions, openQueue } from "../../src/queue/bullmq-queue.ts";
import {
  type BatchStage,
  type JobProcessor,
  type LeaseJob,
  type Queue,
  STAGES,
  type Stage,
} from "../../src/queue/queue.ts";

/** What a backend gives the suite: where to open queues, and how to put a job there that licet did not write. */
export interface QueueBackend {
  options(): OpenQueueOptions;
  /** False when the queue is in the process that opened it, so that no other process can reach it. */
  readonly isShared: boolean;
  readonly kind: "redis" | "embedded";
}

const ONE_EACH: Readonly<Record<Stage, number>> = { walk: 1, quote: 1, acquire: 1, report: 1 };
/** An owner that is already dead: as if its process had died long ago. */
const DEAD_AT_ONCE_MS = -1;
const EMPTY: Readonly<Record<Stage, number>> = { walk: 0, quote: 0, acquire: 0, report: 0 };

/** A promise that other code resolves: how these tests wait without sleeping. */
export function createGate<T = void>(): { readonly opened: Promise<T>; open: (value: T) => void } {
  let open: (value: T) => void = () => {};
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Jobs in the order in which they were handled, and a promise for the nth. */
export function createRecorder(handle: JobProcessor = async () => "done") {
  const seen: LeaseJob[] = [];
  const waiters: { count: number; open: () => void }[] = [];
  const process: JobProcessor = async (job, signal) => {
    seen.push(job);
    const outcome = await handle(job, signal);
    for (const waiter of waiters.filter((one) => seen.length >= one.count)) {
      waiter.open();
    }
    return outcome;
  };
  const untilSeen = (count: number): Promise<void> => {
    const gate = createGate();
    waiters.push({ count, open: () => gate.open() });
    return seen.length >= count ? Promise.resolve() : gate.opened;
  };
  return { seen, process, untilSeen };
}

export function inEveryStage(process: JobProcessor): Readonly<Record<Stage, JobProcessor>> {
  return { walk: process, quote: process, acquire: process, report: process };
}

/** Waits for what no event tells, by asking: the job's end is written after its processor returned. */
export async function untilDepth(queue: Queue, wanted: Readonly<Record<Stage, number>>): Promise<void> {
  for (;;) {
    const depth = await queue.depth();
    if (STAGES.every((stage) => depth[stage] === wanted[stage])) {
      return;
    }
  }
}

const REPORT: LeaseJob = { stage: "report", leaseId: null };

function jobs(stage: BatchStage, ...leaseIds: string[]): LeaseJob[] {
  return leaseIds.map((leaseId) => ({ stage, leaseId }));
}

/** The queue port's contract, the same for every backend. */
export function describeQueueContract(name: string, backend: QueueBackend): void {
  describe(`the queue on ${name}`, () => {
    let queue: Queue;
    const errors: unknown[] = [];
    const onError = (error: unknown, job: LeaseJob | null) => {
      errors.push([String(error), job]);
    };

    beforeAll(async () => {
      queue = await openQueue(backend.options());
    });
    afterEach(async () => {
      await queue.clear();
      errors.length = 0;
    });
    afterAll(async () => {
      await queue.close();
    });

    it("is empty when it is new, and describes itself", async () => {
      expect(await queue.depth()).toEqual(EMPTY);
      expect((await queue.checkHealth()).kind).toBe(backend.kind);
    });

    it("counts waiting jobs, stage by stage", async () => {
      await queue.add([...jobs("walk", "a"), ...jobs("acquire", "b", "c")]);
      expect(await queue.depth()).toEqual({ walk: 1, quote: 0, acquire: 2, report: 0 });
    });

    it("adds nothing for no jobs", async () => {
      await queue.add([]);
      expect(await queue.depth()).toEqual(EMPTY);
    });

    it("accepts a lease id once, also within one call, and also when it looks like a number or a key", async () => {
      for (const leaseId of ["a", "7", "b:c:d:e", "%", "*", "ü/ö", "x".repeat(200)]) {
        await queue.clear();
        await queue.add(jobs("quote", leaseId, leaseId));
        await queue.add(jobs("quote", leaseId));
        expect(await queue.depth(), leaseId).toEqual({ ...EMPTY, quote: 1 });
      }
    });

    it("delivers each job to its stage's processor, with its lease id unchanged", async () => {
      const recorder = createRecorder();
      const workers = await queue.startWorkers(inEveryStage(recorder.process), { concurrency: ONE_EACH, onError });
      const added = [...jobs("walk", "w:1"), ...jobs("quote", "2"), ...jobs("acquire", "a%3A"), REPORT];
      await queue.add(added);
      await recorder.untilSeen(4);
      await workers.close();
      const byStage = (a: LeaseJob, b: LeaseJob) => a.stage.localeCompare(b.stage);
      expect(recorder.seen.toSorted(byStage)).toEqual(added.toSorted(byStage));
      expect(await queue.depth()).toEqual(EMPTY);
      expect(errors).toEqual([]);
    });

    it("takes jobs of some stages only, until it takes those of all again", async () => {
      const recorder = createRecorder();
      const workers = await queue.startWorkers(inEveryStage(recorder.process), { concurrency: ONE_EACH, onError });
      workers.takeOnly(["walk"]);
      await queue.add([...jobs("quote", "a", "b", "c", "d"), ...jobs("walk", "1", "2", "3", "4", "5")]);
      await recorder.untilSeen(5);
      expect(recorder.seen.filter(({ stage }) => stage === "quote")).toEqual([]);
      workers.takeOnly(STAGES);
      await recorder.untilSeen(9);
      await workers.close();
      expect(errors).toEqual([]);
    });

    it("takes as many jobs at once as it is told, from the next one on", async () => {
      const begun = [1, 2, 3, 4, 5].map(() => ({ told: createGate(), end: createGate() }));
      const underWay = { all: 0, now: 0 };
      const process: JobProcessor = async () => {
        const one = begun[underWay.all];
        underWay.all += 1;
        underWay.now += 1;
        one?.told.open();
        await one?.end.opened;
        underWay.now -= 1;
        return "done";
      };
      const workers = await queue.startWorkers(inEveryStage(process), { concurrency: ONE_EACH, onError });
      await queue.add(jobs("quote", "1", "2", "3", "4", "5"));
      await begun[0]?.told.opened;
      workers.setConcurrency({ ...ONE_EACH, quote: 3 });
      begun[0]?.end.open();
      await begun[3]?.told.opened;
      expect(underWay).toEqual({ all: 4, now: 3 });
      workers.setConcurrency(ONE_EACH);
      for (const { end } of begun) {
        end.open();
      }
      await begun[4]?.told.opened;
      expect(underWay).toEqual({ all: 5, now: 1 });
      await workers.close();
      expect(errors).toEqual([]);
    });

    it("tells the jobs under way of a stage that it takes no more", async () => {
      const told: Stage[] = [];
      const untilTold: JobProcessor = ({ stage }, signal) =>
        new Promise((resolve) => {
          const end = () => {
            told.push(stage);
            resolve("done");
          };
          signal.addEventListener("abort", end, { once: true });
        });
      const recorder = createRecorder(untilTold);
      const started = createGate();
      const process: JobProcessor = (job, signal) => {
        const ended = recorder.process(job, signal);
        if (recorder.seen.length === 2) {
          started.open();
        }
        return ended;
      };
      const workers = await queue.startWorkers(inEveryStage(process), { concurrency: ONE_EACH, onError });
      await queue.add([...jobs("quote", "q"), ...jobs("walk", "w")]);
      await started.opened;
      workers.takeOnly(["walk"]);
      expect(told).toEqual(["quote"]);
      await workers.close({ force: true });
      expect(told).toEqual(["quote", "walk"]);
      expect(errors).toEqual([]);
    });

    it("does not accept a finished lease again", async () => {
      const recorder = createRecorder();
      const workers = await queue.startWorkers(inEveryStage(recorder.process), { concurrency: ONE_EACH, onError });
      await queue.add(jobs("walk", "once"));
      await recorder.untilSeen(1);
      await untilDepth(queue, EMPTY);
      await queue.add(jobs("walk", "once", "other"));
      await recorder.untilSeen(2);
      await workers.close();
      expect(recorder.seen.map((job) => job.leaseId)).toEqual(["once", "other"]);
    });

    it("accepts a report each time, since it has no lease", async () => {
      const recorder = createRecorder();
      const workers = await queue.startWorkers(inEveryStage(recorder.process), { concurrency: ONE_EACH, onError });
      for (const count of [1, 2, 3]) {
        await queue.add([REPORT]);
        await recorder.untilSeen(count);
      }
      await workers.close();
      expect(recorder.seen).toEqual([REPORT, REPORT, REPORT]);
    });

    it("wakes idle workers for a new job", async () => {
      const recorder = createRecorder();
      const workers = await queue.startWorkers(inEveryStage(recorder.process), { concurrency: ONE_EACH, onError });
      for (const leaseId of ["first", "second", "third"]) {
        await queue.add(jobs("quote", leaseId));
        await untilDepth(queue, EMPTY);
      }
      await workers.close();
      expect(recorder.seen).toHaveLength(3);
    });

    it("ends a dropped job, and one whose processor throws, which it reports; neither is delivered again", async () => {
      const recorder = createRecorder(async (job) => {
        if (job.leaseId === "bad") {
          throw new Error("a bug");
        }
        return "drop";
      });
      const workers = await queue.startWorkers(inEveryStage(recorder.process), { concurrency: ONE_EACH, onError });
      await queue.add(jobs("quote", "dropped", "bad"));
      await untilDepth(queue, EMPTY);
      await queue.add(jobs("quote", "dropped", "bad", "next"));
      await untilDepth(queue, EMPTY);
      await workers.close();
      expect(recorder.seen.map((job) => job.leaseId)).toEqual(["dropped", "bad", "next"]);
      expect(errors).toEqual([["Error: a bug", { stage: "quote", leaseId: "bad" }]]);
    });

    it("runs as many jobs at once as its concurrency, not one more", async () => {
      const gate = createGate();
      const full = createGate();
      let running = 0;
      let most = 0;
      const recorder = createRecorder(async () => {
        running += 1;
        most = Math.max(most, running);
        if (running === 3) {
          full.open();
        }
        await gate.opened;
        running -= 1;
        return "done";
      });
      const concurrency = { ...ONE_EACH, acquire: 3 };
      const workers = await queue.startWorkers(inEveryStage(recorder.process), { concurrency, onError });
      await queue.add(jobs("acquire", "1", "2", "3", "4", "5"));
      await full.opened;
      expect(await queue.depth()).toEqual({ ...EMPTY, acquire: 5 });
      gate.open();
      await untilDepth(queue, EMPTY);
      await workers.close();
      expect(most).toBe(3);
    });

    it("waits on close for the active job, and leaves the others unchanged", async () => {
      const started = createGate();
      const gate = createGate();
      const recorder = createRecorder(async () => {
        started.open();
        await gate.opened;
        return "done";
      });
      const workers = await queue.startWorkers(inEveryStage(recorder.process), { concurrency: ONE_EACH, onError });
      await queue.add(jobs("acquire", "under-way", "left"));
      await started.opened;
      let isClosed = false;
      const closing = workers.close().then(() => {
        isClosed = true;
      });
      expect(await queue.depth()).toEqual({ ...EMPTY, acquire: 2 });
      expect(isClosed).toBe(false);
      gate.open();
      await closing;
      expect(recorder.seen).toHaveLength(1);
      expect(await queue.depth()).toEqual({ ...EMPTY, acquire: 1 });
    });

    it("aborts active jobs on a forced close, also when an ordinary close already waits for them", async () => {
      const started = createGate();
      const recorder = createRecorder(async (_job, signal) => {
        started.open();
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        return "drop";
      });
      const workers = await queue.startWorkers(inEveryStage(recorder.process), { concurrency: ONE_EACH, onError });
      await queue.add(jobs("acquire", "long"));
      await started.opened;
      const closing = workers.close();
      await workers.close({ force: true });
      await closing;
      expect(await queue.depth()).toEqual(EMPTY);
    });

    it("accepts jobs again after it was emptied during work", async () => {
      const started = createGate();
      const gate = createGate();
      const recorder = createRecorder(async (job) => {
        if (job.leaseId === "emptied") {
          started.open();
          await gate.opened;
        }
        return "done";
      });
      const workers = await queue.startWorkers(inEveryStage(recorder.process), { concurrency: ONE_EACH, onError });
      await queue.add(jobs("acquire", "emptied", "gone"));
      await started.opened;
      await queue.clear();
      expect(await queue.depth()).toEqual(EMPTY);
      gate.open();
      await queue.add(jobs("acquire", "after"));
      await recorder.untilSeen(2);
      await untilDepth(queue, EMPTY);
      await workers.close();
      expect(recorder.seen.map((job) => job.leaseId)).toEqual(["emptied", "after"]);
      expect(errors).toEqual([]);
    });

    it("closes its workers when it is closed", async () => {
      const own = await openQueue({ ...backend.options(), prefix: "closing" });
      const recorder = createRecorder();
      await own.startWorkers(inEveryStage(recorder.process), { concurrency: ONE_EACH, onError });
      await own.add(jobs("walk", "a"));
      await recorder.untilSeen(1);
      await own.clear();
      await own.close();
      expect(errors).toEqual([]);
    });

    it("is a separate queue for each opener: nothing is added to or emptied from another's", async () => {
      const other = await openQueue(backend.options());
      await queue.add(jobs("walk", "mine"));
      await other.add(jobs("walk", "mine", "mine-too"));
      expect(await queue.depth()).toEqual({ ...EMPTY, walk: 1 });
      await queue.clear();
      expect(await other.depth()).toEqual({ ...EMPTY, walk: 2 });
      await other.close();
    });

    it("is removed with all its jobs when it is closed", async () => {
      const options = { ...backend.options(), owner: "closes" };
      const first = await openQueue(options);
      await first.add(jobs("walk", "a", "b"));
      await first.close();
      const second = await openQueue(options);
      expect(await second.depth()).toEqual(EMPTY);
      await second.close();
    });

    if (backend.isShared) {
      it("lets many owners join at once, who all find the same dead one", async () => {
        const options = { ...backend.options(), prefix: "joins" };
        const dead = await openQueue({ ...options, owner: "dead", ownerLifeMs: DEAD_AT_ONCE_MS });
        await dead.add(jobs("acquire", "left"));
        const joined = await Promise.all(
          Array.from({ length: 8 }, (_, index) => openQueue({ ...options, owner: `joins-${index}` })),
        );
        expect(await dead.depth()).toEqual(EMPTY);
        await Promise.all([dead, ...joined].map((queue) => queue.close()));
      });

      it("removes what a dead owner left, and nothing of one that is alive", async () => {
        const options = backend.options();
        const alive = await openQueue({ ...options, owner: "alive" });
        const dead = await openQueue({ ...options, owner: "dead", ownerLifeMs: DEAD_AT_ONCE_MS });
        await dead.add(jobs("acquire", "left"));
        await alive.add(jobs("acquire", "kept"));
        const next = await openQueue(options);
        expect(await dead.depth()).toEqual(EMPTY);
        expect(await alive.depth()).toEqual({ ...EMPTY, acquire: 1 });
        await dead.add(jobs("acquire", "after-all"));
        expect(await dead.depth()).toEqual({ ...EMPTY, acquire: 1 });
        await Promise.all([dead.close(), alive.close(), next.close()]);
      });
    }
  });
}
