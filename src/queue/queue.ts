/**
 * The queue port. The queue is transport: it carries lease ids from the dispatcher to workers and nothing else (no URL,
 * token, key or content), and it may be emptied at any time without losing work, because the ledger is the truth
 * (design § The pipeline). It may also deliver late, twice or never: every stage is safe under that.
 */

/** The stages that run as jobs; each has its own queue and its own processor in jobs/. */
export const STAGES = ["walk", "quote", "acquire", "report"] as const;
export type Stage = (typeof STAGES)[number];

/** The stages that work on a batch. */
export type BatchStage = Exclude<Stage, "report">;

/**
 * What a job carries. `leaseId` names one leasing of one batch: a batch leased again is another job. A report has no lease: whoever
 * works on it takes the flusher's.
 */
export type LeaseJob =
  | { readonly stage: BatchStage; readonly leaseId: string }
  | { readonly stage: "report"; readonly leaseId: null };

/** What became of a job. `later` asks for it again after a delay; `drop` ends it (the ledger will lease the batch again). */
export type JobOutcome =
  | { readonly kind: "done" }
  | { readonly kind: "later"; readonly delayMs: number }
  | { readonly kind: "drop" };

/** Handles one job. It must not throw but for bugs; a throw is reported to `onError` and the job is dropped. */
export type JobProcessor = (job: LeaseJob, signal: AbortSignal) => Promise<JobOutcome>;

export interface WorkerOptions {
  /** Jobs of each stage at once in this process. */
  readonly concurrency: Readonly<Record<Stage, number>>;
  readonly onError: (error: unknown, job: LeaseJob | null) => void;
}

/** Workers of every stage in this process. */
export interface QueueWorkers {
  /** Stops taking jobs, waits for those under way. With `force`, aborts their signal first. */
  close(options?: { readonly force?: boolean }): Promise<void>;
}

/** What `licet check` wants to know. */
export interface QueueHealth {
  readonly kind: "redis" | "postgres" | "embedded";
  /** A sentence for each thing that is wrong, e.g. a `maxmemory-policy` that evicts. */
  readonly warnings: readonly string[];
}

/** Whoever opens a queue has one of their own: no other process adds to it, works on it or empties it. */
export interface Queue {
  /** Adds jobs. Adding a lease id that is already there changes nothing; a report is added each time. @throws LicetError QUEUE_UNREACHABLE */
  add(jobs: readonly LeaseJob[]): Promise<void>;
  /** Jobs waiting or active per stage, for the dispatcher's bound. @throws LicetError QUEUE_UNREACHABLE */
  depth(): Promise<Readonly<Record<Stage, number>>>;
  startWorkers(processors: Readonly<Record<Stage, JobProcessor>>, options: WorkerOptions): Promise<QueueWorkers>;
  /** Removes every job of this queue. For tests and for a run that ends. */
  clear(): Promise<void>;
  checkHealth(): Promise<QueueHealth>;
  /** Closes the workers and takes the queue away with what is in it. Never throws, whatever became of the server. */
  close(): Promise<void>;
}
