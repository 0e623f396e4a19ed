import type { JobProcessor, LeaseJob, Queue, QueueWorkers, Stage, WorkerOptions } from "../../src/queue/queue.ts";
import { STAGES } from "../../src/queue/queue.ts";
import type { SharedQueues } from "../../src/queue/shared-queue.ts";

type Processors = Readonly<Partial<Record<Stage, JobProcessor>>>;

/** The workers of one process. */
interface Taker {
  readonly processors: Processors;
  readonly options: WorkerOptions;
  readonly abort: AbortController;
  readonly active: Set<LeaseJob>;
  /** What it takes at present: each aborts when it is taken no more. */
  readonly taken: Map<Stage, AbortController>;
  concurrency: WorkerOptions["concurrency"];
}

/** A queue in memory that a worker on another machine finds: one turn after it came, a job goes to the first process that takes its stage. */
export class SharedMemoryQueue implements Queue {
  readonly place = { prefix: "nth", owner: "run" };
  readonly #waiting = new Set<LeaseJob>();
  readonly #takers = new Set<Taker>();

  /** As the worker has it. */
  readonly elsewhere: SharedQueues = {
    has: async () => true,
    ping: async () => {},
    startWorkers: async (_place, processors, options) => this.#addTaker(processors, options),
    close: async () => {},
  };

  async add(jobs: readonly LeaseJob[]): Promise<void> {
    for (const job of jobs) {
      this.#waiting.add(job);
    }
    this.#deliver();
  }

  async depth(): Promise<Readonly<Record<Stage, number>>> {
    const depth = { walk: 0, quote: 0, acquire: 0, report: 0 };
    const active = [...this.#takers].flatMap((taker) => [...taker.active]);
    for (const { stage } of [...this.#waiting, ...active]) {
      depth[stage] += 1;
    }
    return depth;
  }

  async startWorkers(processors: Processors, options: WorkerOptions): Promise<QueueWorkers> {
    return this.#addTaker(processors, options);
  }

  async clear(): Promise<void> {
    this.#waiting.clear();
  }

  async checkHealth() {
    return { kind: "redis" as const, server: null, warnings: [] };
  }

  async close(): Promise<void> {}

  #addTaker(processors: Processors, options: WorkerOptions): QueueWorkers {
    const taken = new Map(STAGES.map((stage) => [stage, new AbortController()]));
    const taker: Taker = {
      processors,
      options,
      abort: new AbortController(),
      active: new Set(),
      taken,
      concurrency: options.concurrency,
    };
    this.#takers.add(taker);
    this.#deliver();
    return {
      takeOnly: (stages) => {
        for (const stage of STAGES) {
          if (!stages.includes(stage)) {
            taken.get(stage)?.abort();
            taken.delete(stage);
          } else if (!taken.has(stage)) {
            taken.set(stage, new AbortController());
          }
        }
        this.#deliver();
      },
      setConcurrency: (concurrency) => {
        taker.concurrency = concurrency;
        this.#deliver();
      },
      close: async ({ force = false } = {}) => {
        this.#takers.delete(taker);
        if (force) {
          taker.abort.abort();
        }
        while (taker.active.size > 0) {
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    };
  }

  #deliver(): void {
    setImmediate(() => {
      for (const job of this.#waiting) {
        const taker = [...this.#takers].find((one) => hasRoom(one, job.stage));
        if (taker !== undefined) {
          this.#waiting.delete(job);
          void this.#work(taker, job);
        }
      }
    });
  }

  async #work({ processors, options, abort, active, taken }: Taker, job: LeaseJob): Promise<void> {
    const ofStage = taken.get(job.stage)?.signal ?? abort.signal;
    active.add(job);
    try {
      await processors[job.stage]?.(job, AbortSignal.any([abort.signal, ofStage]));
    } catch (error) {
      options.onError(error, job);
    }
    active.delete(job);
    this.#deliver();
  }
}

function hasRoom({ processors, concurrency, active, taken }: Taker, stage: Stage): boolean {
  const underWay = [...active].filter((job) => job.stage === stage).length;
  return processors[stage] !== undefined && taken.has(stage) && underWay < concurrency[stage];
}
