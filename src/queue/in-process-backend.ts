import type {
  BackendFactory,
  FinishedStatus,
  IQueueBackend,
  JobJson,
  JobProgress,
  JobType,
  KeepJobs,
  MinimalJob,
  MoveToDelayedOpts,
  ParentKeyOpts,
  RetryJobOpts,
  RetryOptions,
} from "bullmq";
import { addJobs } from "./in-process/add-jobs.ts";
import { finishJob, toKeepCounts } from "./in-process/finish-job.ts";
import type { InProcessStore } from "./in-process/in-process-store.ts";
import * as inspect from "./in-process/inspect-jobs.ts";
import { addLog, clearLogs, updateData, updateProgress } from "./in-process/job-contents.ts";
import { extendLock, NO_LOCK } from "./in-process/job-locks.ts";
import { type FailedAttempt, toJobJson } from "./in-process/job-record.ts";
import { QueueWideBackend } from "./in-process/queue-wide-backend.ts";
import { removeJob } from "./in-process/remove-jobs.ts";
import * as requeue from "./in-process/requeue-jobs.ts";
import { moveStalledToWait } from "./in-process/stalled-jobs.ts";
import { type JobTaker, takeFollowing, takeJob } from "./in-process/take-job.ts";

/** BullMQ's own defaults, for a backend that no worker gave its options to. */
const LOCK_MS = 30_000;
const STALLED_INTERVAL_MS = 30_000;
const MAX_STALLED_COUNT = 1;
const MOVE_COUNT = 1_000;

type Finished = { result: unknown[]; finishedOn: number };

/**
 * BullMQ's backend in the memory of this process: what `queue.url: embedded` runs on. Each operation is done at once and as a whole, in
 * the words and with the error codes of BullMQ's Redis scripts; `in-process/` has them, one concern a file. It lives as long as its
 * store, which loses nothing: the ledger is the truth (promise 6).
 */
export class InProcessBackend extends QueueWideBackend implements IQueueBackend {
  forQueue(queueName: string): InProcessBackend {
    return new InProcessBackend(this.store, queueName, this.options);
  }

  async addJob(job: JobJson, jobId: string, parentKeyOpts?: ParentKeyOpts): Promise<string> {
    const [id = jobId] = addJobs(this.state, [{ job, jobId, parentKeyOpts }]);
    return this.answer(id);
  }

  readonly addJobs = async (entries: { job: JobJson; jobId: string; parentKeyOpts?: ParentKeyOpts }[]) =>
    this.answer(addJobs(this.state, entries));
  readonly moveToActive = async (token: string, name?: string) =>
    this.answer(takeJob(this.state, this.#taker(token, name)));

  async moveToCompleted<T, R, N extends string>(
    job: MinimalJob<T, R, N>,
    returnValue: R,
    keep: boolean | number | KeepJobs,
    token: string,
    fetchNext: boolean,
  ): Promise<Finished> {
    const value = JSON.stringify(returnValue) ?? "null";
    return this.#finish(job, { to: "completed", value, keep, token, fetchNext, fields: undefined });
  }

  async moveToFailed<T, R, N extends string>(
    job: MinimalJob<T, R, N>,
    failedReason: string,
    keep: boolean | number | KeepJobs,
    token: string,
    fetchNext: boolean,
    fields?: FailedAttempt,
  ): Promise<Finished> {
    return this.#finish(job, { to: "failed", value: failedReason ?? "null", keep, token, fetchNext, fields });
  }

  async moveToDelayed(
    jobId: string,
    fromAt: number,
    delayMs: number,
    token = NO_LOCK,
    options: MoveToDelayedOpts = {},
  ) {
    const { fieldsToUpdate: fields, skipAttempt = false, fetchNext = false } = options;
    requeue.moveToDelayed(this.state, { jobId, token, fields, fromAt, delayMs, isAttempt: !skipAttempt });
    const following = fetchNext && this.closing === undefined ? takeFollowing(this.state, this.#taker(token)) : null;
    if (following === null || following[0] === null) {
      this.state.markNextDelayed();
      return this.answer([]);
    }
    return this.answer(following);
  }

  async moveJobFromActiveToWait(jobId: string, token = NO_LOCK): Promise<number> {
    requeue.moveActiveToWait(this.state, { jobId, token });
    return this.answer(0);
  }

  async retryJob(jobId: string, lifo: boolean, token = NO_LOCK, options: RetryJobOpts = {}): Promise<void> {
    requeue.retryActive(this.state, { jobId, token, lifo, fields: options.fieldsToUpdate });
    return this.answer(undefined);
  }

  async retryFinishedJob<T, R, N extends string>(
    job: MinimalJob<T, R, N>,
    from: FinishedStatus,
    options: RetryOptions = {},
  ): Promise<void> {
    const { resetAttemptsMade: resetMade = false, resetAttemptsStarted: resetStarted = false } = options;
    const lifo = job.opts.lifo === true;
    requeue.retryFinished(this.state, { jobId: job.id ?? "", from, lifo, resetMade, resetStarted });
    return this.answer(undefined);
  }

  async retryFinishedJobs(from: FinishedStatus = "failed", count = MOVE_COUNT, until = Date.now()): Promise<number> {
    return this.answer(requeue.moveAllToWait(this.state, { from, count, until }));
  }

  readonly promote = async (jobId: string) => this.answer(requeue.promote(this.state, jobId));

  async promoteJobs(count = MOVE_COUNT): Promise<number> {
    const until = Number.POSITIVE_INFINITY;
    return this.answer(requeue.moveAllToWait(this.state, { from: "delayed", count, until }));
  }

  readonly changeDelay = async (jobId: string, delayMs: number) =>
    this.answer(requeue.changeDelay(this.state, jobId, delayMs));
  readonly changePriority = async (jobId: string, priority = 0, lifo = false) =>
    this.answer(requeue.changePriority(this.state, jobId, { priority, lifo }));

  async moveStalledJobsToWait(): Promise<string[]> {
    const { maxStalledCount = MAX_STALLED_COUNT, stalledInterval: intervalMs = STALLED_INTERVAL_MS } = this.options;
    return this.answer(moveStalledToWait(this.state, { maxStalledCount, intervalMs }));
  }

  readonly extendLock = async (jobId: string, token: string, durationMs: number) =>
    this.answer(extendLock(this.state, jobId, token, durationMs) ? 1 : 0);

  async extendLocks(jobIds: string[], tokens: string[], durationMs: number): Promise<string[]> {
    const lost = jobIds.filter((id, index) => !extendLock(this.state, id, tokens[index] ?? "", durationMs));
    return this.answer(lost);
  }

  readonly remove = async (jobId: string) => this.answer(removeJob(this.state, jobId));

  async updateData<T, R, N extends string>(job: MinimalJob<T, R, N>, data: T): Promise<void> {
    return this.answer(updateData(this.state, job.id, data));
  }

  readonly updateProgress = async (jobId: string, progress: JobProgress) =>
    this.answer(updateProgress(this.state, jobId, progress));
  readonly addLog = async (jobId: string, row: string, keepLogs?: number) =>
    this.answer(addLog(this.state, jobId, row, keepLogs));
  readonly clearLogs = async (jobId: string, keepLogs = 0) => this.answer(clearLogs(this.state, jobId, keepLogs));
  readonly getJobLogs = async (jobId: string, start: number, end: number, asc: boolean) =>
    this.answer(inspect.readLogs(this.state, jobId, { start, end, asc }));

  async getJobData(jobId: string): Promise<JobJson | undefined> {
    const job = this.state.jobs.get(jobId);
    return this.answer(job === undefined ? undefined : toJobJson(job));
  }

  readonly getState = async (jobId: string) => this.answer(inspect.stateOf(this.state, jobId));
  readonly isFinished = async (jobId: string, isValueWanted = false) =>
    this.answer(inspect.isFinished(this.state, jobId, isValueWanted));
  readonly isJobInState = async (type: string, jobId: string) =>
    this.answer(inspect.isInState(this.state, type, jobId));
  readonly getCounts = async (types: JobType[], delayedBefore?: number) =>
    this.answer(inspect.countJobs(this.state, types, delayedBefore));
  readonly getCountsPerPriority = async (priorities: number[]) =>
    this.answer(inspect.countPriorities(this.state, priorities));

  async getRanges(types: JobType[], start = 0, end = 1, asc = false): Promise<[string][]> {
    // BullMQ's type says tuples of one; it means lists.
    return this.answer(types.map((type) => inspect.rangeOfJobs(this.state, type, { start, end, asc })) as [string][]);
  }

  #taker(token: string, workerName: string | undefined = this.options.name): JobTaker {
    return { token, lockMs: this.options.lockDuration ?? LOCK_MS, workerName };
  }

  #finish<T, R, N extends string>(
    job: MinimalJob<T, R, N>,
    how: {
      to: FinishedStatus;
      value: string;
      keep: boolean | number | KeepJobs;
      token: string;
      fetchNext: boolean;
      fields: FailedAttempt | undefined;
    },
  ): Promise<Finished> {
    const { to, value, keep, token, fetchNext, fields } = how;
    const { removeOnComplete, removeOnFail } = this.options;
    const next = fetchNext && this.closing === undefined ? this.#taker(token) : null;
    const finished = finishJob(this.state, {
      jobId: job.id ?? "",
      to,
      value,
      attempts: job.opts.attempts ?? 0,
      token,
      keep: toKeepCounts(keep, to === "completed" ? removeOnComplete : removeOnFail),
      fields,
      next,
    });
    return this.answer(finished);
  }
}

/** Makes the backends of BullMQ's classes over one store, which they are given as their connection. */
export const createInProcessBackend: BackendFactory<InProcessBackend, InProcessStore> = (name, options, kind = {}) => {
  const { connection: store, ...rest } = options;
  const backend = new InProcessBackend(store, name, rest);
  if (kind.withBlockingConnection === true) {
    backend.joinAsWorker();
  }
  return backend;
};
