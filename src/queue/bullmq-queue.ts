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
  type QueuePlace,
  type QueueWorkers,
  STAGES,
  type Stage,
  type WorkerOptions,
} from "./queue.ts";
import { DEFAULT_QUEUE_PREFIX, jobIdOf, ownersName, queueName } from "./queue-names.ts";
import { joinOwners, type QueueOwners } from "./queue-owners.ts";
import { unreachable } from "./redis-client.ts";
import type { QueueTransport } from "./transport.ts";

/** How long finished jobs are kept, for inspection and to keep their lease ids from being added again. */
export interface Retention {
  readonly ageMs: number;
  /** For each stage. */
  readonly count: number;
}

export interface OpenQueueOptions {
  /** As `parseQueueUrl` reads it. */
  readonly url: string;
  /** Separates this ledger's queues from others on the same server. @default "default" */
  readonly prefix?: string;
  /** Separates this queue from others of the same prefix. Each opened queue has its own owner. @default a random id */
  readonly owner?: string;
  /** An owner counts as dead this long after its last heartbeat. The next opened queue removes its jobs. @default 2 minutes */
  readonly ownerLifeMs?: number;
  /** @default an hour and 1,000 jobs a stage */
  readonly retention?: Retention;
  /** Receives sentences for the log: connection lost, connection restored. */
  readonly onWarning?: (warning: string) => void;
}

const OWNER_LIFE_MS = 120_000;
/** How long closing waits for the removal of its queue. The next owner removes what is left. */
const LEAVE_TIMEOUT_MS = 2_000;
const DEFAULT_RETENTION: Retention = { ageMs: 3_600_000, count: 1_000 };
/** The time limit for adding, counting and the health check. */
const CALL_TIMEOUT_MS = 8_000;
/** Emptying removes a thousand jobs at a time. */
const CLEAR_TIMEOUT_MS = 60_000;
/** More than the owners that join at the same moment. */
const MAX_OBLITERATE_TRIES = 20;
/** BullMQ writes events that licet does not read. It must keep some, so the number is small. */
const MAX_EVENTS = 100;

/**
 * Opens the queue: one BullMQ queue for each stage, over the backend that the URL names.
 * @throws LicetError CONFIG_INVALID for an unknown kind of URL, QUEUE_UNREACHABLE within seconds
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

  get place(): QueuePlace | null {
    const { prefix, owner } = this.#options;
    return this.#transport.kind === "embedded" ? null : { prefix, owner };
  }

  async open(): Promise<void> {
    await this.#bounded(CALL_TIMEOUT_MS, () => Promise.all(this.#eachQueue((queue) => queue.waitUntilReady())));
    // The embedded queue ends with its process. It has no other owners, and nothing is left.
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
    const started = await startBullWorkers(this.#transport.createWorkerTransport(), processors, {
      ...options,
      nameOf: (stage) => queueName(this.#options.prefix, this.#options.owner, stage),
      keep: toKeepJobs(this.#options.retention),
      explain: (error) => this.#explain(error),
    });
    const workers: QueueWorkers = {
      ...started,
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
    return { kind: this.#transport.kind, server: this.#transport.server, warnings };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#workers].map((workers) => workers.close()));
    const owners = this.#owners;
    if (owners !== null) {
      // The time is bounded, and a failure does not matter: a server that is gone has nothing to remove, or the next owner
      // removes it.
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
        // The ledger leases a batch again. A retry by the queue would run it twice.
        attempts: 1,
        removeOnComplete: toKeepJobs(this.#options.retention),
        removeOnFail: toKeepJobs(this.#options.retention),
      },
    });
    // The transport reports outages once. An "error" event without a listener would end the process.
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
    return isLicetError(error) ? error : unreachable(this.#transport, error);
  }
}

async function obliterateAll(queues: readonly BullQueue[]): Promise<void> {
  await Promise.all(queues.map(obliterate));
}

/**
 * BullMQ pauses a queue, and then removes it with the mark that it is paused. When two owners remove what a dead one left, the second may
 * find the mark gone: it begins again.
 */
async function obliterate(queue: BullQueue): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await queue.obliterate({ force: true });
    } catch (error) {
      if (tries === MAX_OBLITERATE_TRIES || !/non-paused/.test(String(error))) {
        throw error;
      }
    }
  }
}

/** Without a lease, BullMQ gives the job an id: it is another one each time. */
function toBullJob({ stage, leaseId }: LeaseJob): { name: string; data: JobData; opts: { jobId?: string } } {
  return { name: stage, data: { leaseId }, opts: leaseId === null ? {} : { jobId: jobIdOf(leaseId) } };
}

/** BullMQ counts age in seconds. */
function toKeepJobs(retention: Retention): { age: number; count: number } {
  return { age: Math.ceil(retention.ageMs / 1_000), count: retention.count };
}
