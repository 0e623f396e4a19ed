/**
 * The queue of one process (decision 0013). Its server delivers late, twice, in any order or never; it loses everything, and is
 * not reachable for some time. One worker at a time works on a job, except if the server considers a worker dead or a job was
 * added twice.
 */
import { LicetError } from "../../src/errors.ts";
import type { JobProcessor, LeaseJob, Queue, Stage, WorkerOptions } from "../../src/queue/queue.ts";
import type { Faults } from "./faults.ts";
import type { Random } from "./random.ts";
import type { Owner, Scheduler } from "./scheduler.ts";

/** A worker that has not answered for so long counts as dead, and its job is delivered again. */
const STALLED_MS = 30_000;
const LATE_MS = 90_000;

interface Worker {
  readonly owner: Owner;
  readonly name: string;
  readonly processors: Readonly<Record<Stage, JobProcessor>>;
  readonly options: WorkerOptions;
  readonly abort: AbortController;
  readonly active: Set<Entry>;
  isOpen: boolean;
}

interface Entry {
  readonly job: LeaseJob;
  worker: Worker | null;
  /** Its delay is over. */
  isReady: boolean;
  isDone: boolean;
}

export interface QueueServer {
  /** The port, as one process holds it. */
  connect(owner: Owner, name: string): Queue;
}

export interface QueueServerDeps {
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly random: Random;
  readonly trace: (line: () => string) => void;
}

export function createQueueServer({ scheduler, faults, random, trace }: QueueServerDeps): QueueServer {
  const entries = new Set<Entry>();
  const workers = new Set<Worker>();

  const enter = (job: LeaseJob, delayMs: number) => {
    const entry: Entry = { job, worker: null, isReady: false, isDone: false };
    entries.add(entry);
    scheduler.schedule(delayMs, null, () => {
      entry.isReady = true;
      deliver(entry);
    });
  };

  const deliver = (entry: Entry): void => {
    if (!entries.has(entry) || entry.worker !== null) {
      return;
    }
    const { stage } = entry.job;
    const free = [...workers].filter(
      ({ owner, isOpen, active, options }) =>
        owner.isAlive &&
        isOpen &&
        [...active].filter(({ job }) => job.stage === stage).length < options.concurrency[stage],
    );
    if (free.length === 0) {
      return;
    }
    const worker = random.pick(free);
    entry.worker = worker;
    worker.active.add(entry);
    trace(() => `queue: ${stage} ${entry.job.leaseId} to ${worker.name}`);
    scheduler.schedule(random.int(0, 5), worker.owner, () => void work(worker, entry));
    scheduler.schedule(STALLED_MS, null, () => recover(worker, entry));
  };

  const work = async (worker: Worker, entry: Entry): Promise<void> => {
    try {
      await worker.processors[entry.job.stage](entry.job, worker.abort.signal);
    } catch (error) {
      worker.options.onError(error, entry.job);
    }
    entry.isDone = true;
    worker.active.delete(entry);
    entries.delete(entry);
    deliverWaiting();
  };

  /** A hand is free: what could not be handed out before may go now, in any order. */
  const deliverWaiting = () => {
    for (const entry of random.shuffle([...entries].filter(({ worker, isReady }) => worker === null && isReady))) {
      deliver(entry);
    }
  };

  /** The job of a worker that says nothing is handed out once more; a dead process's queue is dead with it. */
  const recover = ({ owner }: Worker, entry: Entry): void => {
    if (!entry.isDone && entries.has(entry) && owner.isAlive && owner.suspendedUntil !== null) {
      enter(entry.job, 0);
    }
  };

  const requireReachable = async (owner: Owner): Promise<void> => {
    await scheduler.pause(random.int(0, 3), owner);
    if (faults.strikes("queue_unreachable")) {
      throw new LicetError("QUEUE_UNREACHABLE", "the queue cannot be reached: simulated");
    }
    if (faults.strikes("queue_emptied")) {
      trace(() => "queue: emptied");
      entries.clear();
    }
  };

  const connect = (owner: Owner, name: string): Queue => ({
    async add(jobs) {
      await requireReachable(owner);
      const known = new Set([...entries].map(({ job }) => job.leaseId));
      for (const job of random.shuffle(jobs.filter(({ leaseId }) => leaseId === null || !known.has(leaseId)))) {
        if (faults.strikes("job_lost")) {
          trace(() => `queue: lost ${job.leaseId}`);
          continue;
        }
        enter(job, faults.strikes("job_late") ? random.int(100, LATE_MS) : random.int(0, 20));
        if (faults.strikes("job_twice")) {
          enter(job, random.int(0, 2_000));
        }
      }
    },
    async depth() {
      await requireReachable(owner);
      const depth = { walk: 0, quote: 0, acquire: 0, report: 0 };
      for (const { job } of entries) {
        depth[job.stage] += 1;
      }
      return depth;
    },
    place: null,
    async startWorkers(processors, options) {
      await requireReachable(owner);
      const worker: Worker = {
        owner,
        name,
        processors,
        options,
        abort: new AbortController(),
        active: new Set(),
        isOpen: true,
      };
      workers.add(worker);
      deliverWaiting();
      return {
        takeOnly: () => {},
        close: async ({ force = false } = {}) => {
          worker.isOpen = false;
          if (force) {
            worker.abort.abort();
          }
          while (worker.active.size > 0) {
            await scheduler.pause(5, owner);
          }
          workers.delete(worker);
        },
      };
    },
    async clear() {
      await requireReachable(owner);
      for (const entry of [...entries]) {
        if (entry.worker === null) {
          entries.delete(entry);
        }
      }
    },
    checkHealth: async () => ({ kind: "redis", warnings: [] }),
    close: async () => {},
  });
  return { connect };
}
