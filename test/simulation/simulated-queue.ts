/**
 * The queue of one process (decision 0013). Its server delivers late, twice, in any order or never; it loses everything, and is
 * not reachable for some time. One worker at a time works on a job, except if the server considers a worker dead or a job was
 * added twice.
 */
import { LicetError } from "../../src/errors.ts";
import {
  type JobProcessor,
  type LeaseJob,
  type Queue,
  type QueueWorkers,
  STAGES,
  type Stage,
  type WorkerOptions,
} from "../../src/queue/queue.ts";
import type { SharedQueues } from "../../src/queue/shared-queue.ts";
import type { Faults } from "./faults.ts";
import type { Random } from "./random.ts";
import type { Owner, Scheduler } from "./scheduler.ts";

/** A worker that has not answered for so long counts as dead, and its job is delivered again. */
const STALLED_MS = 30_000;
const LATE_MS = 90_000;
const LONGEST_LOOK_MS = 1_000;

interface Worker {
  readonly owner: Owner;
  readonly name: string;
  readonly processors: Processors;
  readonly options: WorkerOptions;
  readonly abort: AbortController;
  readonly active: Set<Entry>;
  isOpen: boolean;
  /** What it takes at present: each aborts when it is taken no more. */
  readonly taken: Map<Stage, AbortController>;
  concurrency: WorkerOptions["concurrency"];
  /** On another machine: nothing reaches it for a while. */
  readonly isCut: () => boolean;
}

type Processors = Readonly<Partial<Record<Stage, JobProcessor>>>;

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

/** The queues that workers on other machines find. */
export interface QueueDirectory {
  /** As the queues of a service are for one of its workers. */
  connect(owner: Owner, isCut: () => boolean): SharedQueues;
  readonly joins: Map<string, Join>;
  /** The name of a queue that is opened. */
  nextOwner(): string;
}

/** How a worker on another machine begins to work on a queue. */
type Join = (
  owner: Owner,
  work: { readonly processors: Processors; readonly options: WorkerOptions; readonly isCut: () => boolean },
) => QueueWorkers;

const PREFIX = "simulated";

export function createQueueDirectory({
  scheduler,
  random,
}: Pick<QueueServerDeps, "scheduler" | "random">): QueueDirectory {
  const joins = new Map<string, Join>();
  let owners = 0;
  const reach = async (owner: Owner, isCut: () => boolean) => {
    await scheduler.pause(random.int(0, 3), owner);
    if (isCut()) {
      throw new LicetError("QUEUE_UNREACHABLE", "the queue cannot be reached: simulated");
    }
  };
  return {
    joins,
    nextOwner: () => String(++owners),
    connect: (owner, isCut) => ({
      has: async (place) => {
        await reach(owner, isCut);
        return joins.has(place.owner);
      },
      ping: () => reach(owner, isCut),
      startWorkers: async (place, processors, options) => {
        await reach(owner, isCut);
        const join = joins.get(place.owner);
        if (join === undefined) {
          throw new LicetError("QUEUE_UNREACHABLE", "the queue is gone: simulated");
        }
        return join(owner, { processors, options, isCut });
      },
      close: async () => {},
    }),
  };
}

/** @param directory null: nobody on another machine works on it */
export function createQueueServer(
  { scheduler, faults, random, trace }: QueueServerDeps,
  directory: QueueDirectory | null = null,
): QueueServer {
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
      ({ owner, isOpen, active, concurrency, processors, taken, isCut }) =>
        owner.isAlive &&
        isOpen &&
        !isCut() &&
        taken.has(stage) &&
        processors[stage] !== undefined &&
        [...active].filter(({ job }) => job.stage === stage).length < concurrency[stage],
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
    const { stage } = entry.job;
    const ofStage = worker.taken.get(stage);
    if (ofStage === undefined) {
      // It was on its way when the worker began to take no more.
      worker.active.delete(entry);
      entry.worker = null;
      deliverWaiting();
      return;
    }
    try {
      await worker.processors[stage]?.(entry.job, AbortSignal.any([worker.abort.signal, ofStage.signal]));
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

  /** The job of a worker that says nothing is handed out once more. */
  const recover = (worker: Worker, entry: Entry): void => {
    const { owner, isCut } = worker;
    if (entry.isDone || !entries.has(entry)) {
      return;
    }
    const isSilent = owner.isAlive && (owner.suspendedUntil !== null || isCut());
    if (directory === null) {
      // A dead process's queue is dead with it.
      if (isSilent) {
        enter(entry.job, 0);
      }
    } else if (isSilent || !owner.isAlive) {
      entries.delete(entry);
      enter(entry.job, 0);
    } else {
      scheduler.schedule(STALLED_MS, null, () => recover(worker, entry));
    }
  };

  const addWorker = (
    owner: Owner,
    { name, ...work }: Pick<Worker, "name" | "processors" | "options" | "isCut">,
  ): QueueWorkers => {
    const worker: Worker = {
      ...work,
      owner,
      name,
      abort: new AbortController(),
      active: new Set(),
      isOpen: true,
      taken: new Map(STAGES.map((stage) => [stage, new AbortController()])),
      concurrency: work.options.concurrency,
    };
    workers.add(worker);
    deliverWaiting();
    return {
      takeOnly: (stages) => {
        const before = worker.taken.size;
        for (const stage of STAGES) {
          if (!stages.includes(stage)) {
            worker.taken.get(stage)?.abort();
            worker.taken.delete(stage);
          } else if (!worker.taken.has(stage)) {
            worker.taken.set(stage, new AbortController());
          }
        }
        if (worker.taken.size > before) {
          deliverWaiting();
        }
      },
      setConcurrency: (concurrency) => {
        worker.concurrency = concurrency;
        deliverWaiting();
      },
      close: async ({ force = false } = {}) => {
        worker.isOpen = false;
        if (force) {
          worker.abort.abort();
        }
        // Each look is an event, and an occasion for what else happens: a job that waits for an hour must not make a million.
        for (let pauseMs = 5; worker.active.size > 0; pauseMs = Math.min(2 * pauseMs, LONGEST_LOOK_MS)) {
          await scheduler.pause(pauseMs, owner);
        }
        workers.delete(worker);
      },
    };
  };
  const own = directory?.nextOwner() ?? null;
  if (own !== null) {
    directory?.joins.set(own, (owner, work) =>
      addWorker(owner, { ...work, name: (owner as Owner & { readonly name: string }).name }),
    );
  }

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
    place: own === null ? null : { prefix: PREFIX, owner: own },
    async startWorkers(processors, options) {
      await requireReachable(owner);
      return addWorker(owner, { name, processors, options, isCut: () => false });
    },
    async clear() {
      await requireReachable(owner);
      for (const entry of [...entries]) {
        if (entry.worker === null) {
          entries.delete(entry);
        }
      }
    },
    checkHealth: async () => ({ kind: "redis", server: null, warnings: [] }),
    close: async () => {
      if (own !== null) {
        directory?.joins.delete(own);
        entries.clear();
      }
    },
  });
  return { connect };
}
