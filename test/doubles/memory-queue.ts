import type { JobProcessor, LeaseJob, Queue, QueueWorkers, Stage, WorkerOptions } from "../../src/queue/queue.ts";

type Processors = Readonly<Record<Stage, JobProcessor>>;

/** A queue in memory at the level of the port: it hands each job to a worker one turn after it came. */
export class MemoryQueue implements Queue {
  readonly added: LeaseJob[] = [];
  /** The most jobs that were in it at once, at work included. */
  mostAtOnce = 0;
  /** Loses so many of the next jobs that are added. */
  losing = 0;
  #waiting: LeaseJob[] = [];
  readonly #active = new Set<LeaseJob>();
  #workers: {
    readonly processors: Processors;
    readonly onError: WorkerOptions["onError"];
    abort: AbortController;
  } | null = null;

  async add(jobs: readonly LeaseJob[]): Promise<void> {
    for (const job of jobs) {
      this.added.push(job);
      if (this.losing > 0) {
        this.losing--;
      } else {
        this.#waiting.push(job);
        setImmediate(() => void this.#work());
      }
    }
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#waiting.length + this.#active.size);
  }

  /** Jobs that no worker has taken yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  async depth(): Promise<Readonly<Record<Stage, number>>> {
    const count = (stage: Stage) => [...this.#waiting, ...this.#active].filter((job) => job.stage === stage).length;
    return { walk: count("walk"), quote: count("quote"), acquire: count("acquire"), report: count("report") };
  }

  readonly place = null;

  async startWorkers(
    processors: Processors,
    { onError }: Pick<WorkerOptions, "onError"> = { onError: () => {} },
  ): Promise<QueueWorkers> {
    const abort = new AbortController();
    this.#workers = { processors, onError, abort };
    for (const _job of this.#waiting) {
      setImmediate(() => void this.#work());
    }
    return {
      takeOnly: () => {},
      setConcurrency: () => {},
      close: async ({ force = false } = {}) => {
        this.#workers = null;
        if (force) {
          abort.abort();
        }
        while (this.#active.size > 0) {
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    };
  }

  async #work(): Promise<void> {
    const workers = this.#workers;
    const job = workers === null ? undefined : this.#waiting.shift();
    if (workers === null || job === undefined) {
      return;
    }
    this.#active.add(job);
    try {
      await workers.processors[job.stage](job, workers.abort.signal);
    } catch (error) {
      workers.onError(error, job);
    } finally {
      this.#active.delete(job);
    }
  }

  async clear(): Promise<void> {
    this.#waiting = [];
  }

  async checkHealth() {
    return { kind: "embedded" as const, server: null, warnings: [] };
  }

  async close(): Promise<void> {}
}

/** The queues of a service, in memory: a new one for each run, and none that wakes for schedules. */
export const SERVICE_QUEUES = {
  openQueue: async () => new MemoryQueue(),
  openScheduleQueue: async () => ({
    setSchedules: async () => {},
    countSchedules: async () => 0,
    close: async () => {},
  }),
};
