/**
 * The queue port. The queue is transport: it carries lease ids from the dispatcher to workers and nothing else (no URL, token,
 * key or content). It may be emptied at any time without losing work, because the ledger is the source of truth. It may deliver late,
 * twice or never, and every stage is safe under that.
 */

/** The stages that run as jobs. Each has its own queue and its own processor in jobs/. */
export const STAGES = ["walk", "quote", "acquire", "report"] as const;
export type Stage = (typeof STAGES)[number];

/** The stages that work on a batch. */
export type BatchStage = Exclude<Stage, "report">;

/**
 * The data of a job. `leaseId` names one lease of one batch. A batch that is leased again is another job. A report job has no lease:
 * its worker takes the flusher's lease.
 */
export type LeaseJob =
  | { readonly stage: BatchStage; readonly leaseId: string }
  | { readonly stage: "report"; readonly leaseId: null };

/** The outcome of a job. `drop` ends it, and the ledger leases the batch again. */
export type JobOutcome = "done" | "drop";

/** Processes one job. It throws only for a bug. `onError` reports the bug and the job is dropped. */
export type JobProcessor = (job: LeaseJob, signal: AbortSignal) => Promise<JobOutcome>;

/** The queue of a run among those of its server. It names nothing but itself. */
export interface QueuePlace {
  readonly prefix: string;
  readonly owner: string;
}

export interface WorkerOptions {
  /** Concurrent jobs of each stage in this process. */
  readonly concurrency: Readonly<Record<Stage, number>>;
  readonly onError: (error: unknown, job: LeaseJob | null) => void;
}

/** Workers of every stage in this process. */
export interface QueueWorkers {
  /** Takes no more jobs and waits for the jobs in flight. With `force`, aborts their signal first. */
  close(options?: { readonly force?: boolean }): Promise<void>;
  /** Takes jobs of these stages only, from now on, and aborts the signal of jobs of others, whose started work is finished. */
  takeOnly(stages: readonly Stage[]): void;
  /** Takes so many jobs at once, from now on: more when the next one ends or comes, and those under way go on. */
  setConcurrency(concurrency: WorkerOptions["concurrency"]): void;
}

/** The state of the queue for `licet check`. */
export interface QueueHealth {
  readonly kind: "redis" | "embedded";
  /** The server and its version, such as `Valkey 8.1.1`. Null: there is no server. */
  readonly server: string | null;
  /** One sentence for each problem, for example a `maxmemory-policy` that evicts. */
  readonly warnings: readonly string[];
}

/** A queue belongs to the process that opened it. No other process adds to it or empties it, and none works on it that was not told its place. */
export interface Queue {
  /** Where workers on other machines find it. Null: it is in the memory of this process. */
  readonly place: QueuePlace | null;
  /** Adds jobs. Adding an existing lease id again changes nothing. A report is added each time. @throws LicetError QUEUE_UNREACHABLE */
  add(jobs: readonly LeaseJob[]): Promise<void>;
  /** Waiting and active jobs of each stage, for the dispatcher's limit. @throws LicetError QUEUE_UNREACHABLE */
  depth(): Promise<Readonly<Record<Stage, number>>>;
  /** @throws LicetError QUEUE_UNREACHABLE when the server is gone */
  startWorkers(processors: Readonly<Record<Stage, JobProcessor>>, options: WorkerOptions): Promise<QueueWorkers>;
  /** Removes every job of this queue. For tests and for a run that ends. */
  clear(): Promise<void>;
  checkHealth(): Promise<QueueHealth>;
  /** Closes the workers and removes the queue with its content. Never throws, whatever the state of the server. */
  close(): Promise<void>;
}
