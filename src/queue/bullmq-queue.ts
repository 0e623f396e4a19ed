import { randomUUID } from "node:crypto";
import type { Queue as BullQueue } from "bullmq";
import { isLicetError, type LicetError } from "../errors.ts";
import { startBullWorkers } from "./bullmq-workers.ts";
import { withDeadline } from "./deadline.ts";
import type { JobData } from "./job-data.ts";
import { openTransport } from "./open-transport.ts";
import {
  type JobProcessor,
  type LeaseJob,
  type Queue,
  type QueueHealth,
  type QueueWorkers,
  STAGES,
  type Stage,
  type WorkerOptions,
} from "./queue.ts";
import { DEFAULT_QUEUE_PREFIX, jobIdOf, ownersName, queueName } from "./queue-names.ts";
import { joinOwners, type QueueOwners } from "./queue-owners.ts";
import { unreachable } from "./redis-client.ts";
import type { QueueTransport } from "./transport.ts";

/** How long finished jobs stay to be looked at, and to keep their lease ids from being added again. */
export interface Retention {
  readonly ageMs: number;
  /** Per stage. */
  readonly count: number;
}

export interface OpenQueueOptions {
  /** `embedded`, `redis://…`, `rediss://…`, `redis+unix:///…` or `postgres://…`. */
  readonly url: string;
  /** Names this ledger's queues among others on the same server. @default "default" */
  readonly prefix?: string;
  /** Names this queue among those of the same prefix: everybody who opens one has their own. @default a random id */
  readonly owner?: string;
  /** So long after its last sign of life an owner counts as dead, and whoever opens a queue next takes its jobs away. @default 2 minutes */
  readonly ownerLifeMs?: number;
  /** @default an hour and 1,000 jobs a stage */
  readonly retention?: Retention;
  /** Sentences for the log: the connection went, the connection is back. */
  readonly onWarning?: (warning: string) => void;
}

const OWNER_LIFE_MS = 120_000;
/** How long closing waits for its queue to be taken away: what it leaves, the next one finds. */
const LEAVE_TIMEOUT_MS = 2_000;
const DEFAULT_RETENTION: Retention = { ageMs: 3_600_000, count: 1_000 };
/** The longest that adding, counting, or asking for health may take: more than one command, less than forever. */
const CALL_TIMEOUT_MS = 8_000;
/** Emptying goes through the jobs a thousand at a time. */
const CLEAR_TIMEOUT_MS = 60_000;
/** BullMQ writes events nobody here listens to; it must keep some, and these are few. */
const MAX_EVENTS = 100;

/**
 * Opens the queue: one BullMQ queue a stage, over the backend that the URL names.
 * @throws LicetError CONFIG_INVALID for a URL of no known kind, QUEUE_UNREACHABLE within seconds
 */
export async function openQueue(options: OpenQueueOptions): Promise<Queue> {
  const onWarning = options.onWarning ?? (() => {});
  const transport = await openTransport({ url: options.url, onWarning });
  const queue = new BullmqQueue(transport, {
    prefix: options.prefix ?? DEFAULT_QUEUE_PREFIX,
    owner: options.owner ?? randomUUID(),
    ownerLifeMs: options.ownerLifeMs ?? OWNER_LIFE_MS,
    retention: options.retention ?? DEFAULT_RETENTION,
  });
  try {
    await queue.open();
  } catch (error) {
    await queue.close();
    throw error;
  }
  return queue;
}

type BullmqQueueOptions = Required<Pick<OpenQueueOptions, "prefix" | "owner" | "ownerLifeMs" | "retention">>;

/** The queue port over BullMQ. */
class BullmqQueue implements Queue {
  readonly #transport: QueueTransport;
  readonly #options: BullmqQueueOptions;
  readonly #queues: Readonly<Record<Stage, BullQueue>>;
  readonly #workers = new Set<QueueWorkers>();
  #owners: QueueOwners | null = null;

  constructor(transport: QueueTransport, options: BullmqQueueOptions) {
    this.#transport = transport;
    this.#options = options;
    this.#queues = this.#createQueues(options.owner);
  }

  async open(): Promise<void> {
    await this.#bounded(CALL_TIMEOUT_MS, () => Promise.all(this.#eachQueue((queue) => queue.waitUntilReady())));
    // The embedded queue ends with its process: there are no others, and nothing is left.
    if (this.#transport.kind !== "embedded") {
      const { prefix, owner, ownerLifeMs: lifeMs } = this.#options;
      const list = this.#createQueue(ownersName(prefix));
      const remove = (dead: string) => this.#removeQueues(dead);
      this.#owners = await this.#bounded(CLEAR_TIMEOUT_MS, () => joinOwners({ list, owner, lifeMs, remove }));
    }
  }

  async add(jobs: readonly LeaseJob[]): Promise<void> {
    await this.#bounded(CALL_TIMEOUT_MS, () =>
      Promise.all(
        STAGES.map(async (stage) => {
          const stageJobs = jobs.filter((job) => job.stage === stage);
          if (stageJobs.length > 0) {
            await this.#queues[stage].addBulk(stageJobs.map(toBullJob));
          }
        }),
      ),
    );
  }

  async depth(): Promise<Readonly<Record<Stage, number>>> {
    const counts = await this.#bounded(CALL_TIMEOUT_MS, () =>
      Promise.all(this.#eachQueue((queue) => queue.getJobCounts("waiting", "active", "delayed"))),
    );
    const sums = counts.map((count) => Object.values(count).reduce((sum, one) => sum + one, 0));
    return Object.fromEntries(STAGES.map((stage, index) => [stage, sums[index] ?? 0])) as Record<Stage, number>;
  }

  async startWorkers(processors: Readonly<Record<Stage, JobProcessor>>, options: WorkerOptions): Promise<QueueWorkers> {
    const started = startBullWorkers(this.#transport.createWorkerTransport(), processors, {
      ...options,
      nameOf: (stage) => queueName(this.#options.prefix, this.#options.owner, stage),
      keep: toKeepJobs(this.#options.retention),
    });
    const workers: QueueWorkers = {
      close: async (closeOptions) => {
        await started.close(closeOptions);
        this.#workers.delete(workers);
      },
    };
    this.#workers.add(workers);
    return workers;
  }

  async clear(): Promise<void> {
    await this.#bounded(CLEAR_TIMEOUT_MS, () => obliterateAll(Object.values(this.#queues)));
  }

  async checkHealth(): Promise<QueueHealth> {
    const warnings = await this.#bounded(CALL_TIMEOUT_MS, () => this.#transport.findProblems());
    return { kind: this.#transport.kind, warnings };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#workers].map((workers) => workers.close()));
    const owners = this.#owners;
    if (owners !== null) {
      // Bounded, and its failure no failure: a server that is gone has nothing to be taken away, or the next owner does it.
      await Promise.allSettled([
        withDeadline(LEAVE_TIMEOUT_MS, obliterateAll(Object.values(this.#queues)).then(owners.leave)),
      ]);
    }
    await Promise.allSettled(this.#eachQueue((queue) => withDeadline(CALL_TIMEOUT_MS, queue.close())));
    await this.#transport.close();
  }

  #createQueues(owner: string): Readonly<Record<Stage, BullQueue>> {
    const create = (stage: Stage) => this.#createQueue(queueName(this.#options.prefix, owner, stage));
    return { walk: create("walk"), quote: create("quote"), acquire: create("acquire"), report: create("report") };
  }

  async #removeQueues(owner: string): Promise<void> {
    const queues = Object.values(this.#createQueues(owner));
    await obliterateAll(queues);
    await Promise.all(queues.map((queue) => queue.close()));
  }

  #createQueue(name: string): BullQueue {
    const queue = this.#transport.createQueue(name, {
      streams: { events: { maxLen: MAX_EVENTS } },
      defaultJobOptions: {
        // The ledger leases a batch again; a queue that retried too would only run it twice.
        attempts: 1,
        removeOnComplete: toKeepJobs(this.#options.retention),
        removeOnFail: toKeepJobs(this.#options.retention),
      },
    });
    // Outages are told by the transport, once; an "error" event without a listener would end the process.
    queue.on("error", () => {});
    return queue;
  }

  #eachQueue<T>(call: (queue: BullQueue) => Promise<T>): Promise<T>[] {
    return STAGES.map((stage) => call(this.#queues[stage]));
  }

  /** @throws LicetError QUEUE_UNREACHABLE when the server does not answer in time, or answers with an error */
  async #bounded<T>(ms: number, call: () => Promise<T>): Promise<T> {
    try {
      return await withDeadline(ms, call());
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #explain(error: unknown): LicetError {
    return isLicetError(error) ? error : unreachable(this.#transport.place, error);
  }
}

async function obliterateAll(queues: readonly BullQueue[]): Promise<void> {
  await Promise.all(queues.map((queue) => queue.obliterate({ force: true })));
}

/** Without a lease, BullMQ gives the job an id: it is another one each time. */
function toBullJob({ stage, leaseId }: LeaseJob): { name: string; data: JobData; opts: { jobId?: string } } {
  return { name: stage, data: { leaseId }, opts: leaseId === null ? {} : { jobId: jobIdOf(leaseId) } };
}

/** BullMQ counts age in seconds. */
function toKeepJobs(retention: Retention): { age: number; count: number } {
  return { age: Math.ceil(retention.ageMs / 1_000), count: retention.count };
}
