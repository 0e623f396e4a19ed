import type { FinishedStatus, KeepJobs } from "bullmq";
import { missingJob, notInState } from "./job-error.ts";
import { releaseLock } from "./job-locks.ts";
import { type FailedAttempt, type JobRecord, updateFields } from "./job-record.ts";
import type { QueueState } from "./queue-state.ts";
import { type JobTaker, type TakenJob, takeFollowing } from "./take-job.ts";

/** How an active job ends. */
export interface Finish {
  readonly jobId: string;
  readonly to: FinishedStatus;
  /** The result as JSON text, or why it failed. */
  readonly value: string;
  /** The most attempts the job was given. */
  readonly attempts: number;
  readonly token: string;
  readonly keep: KeepCounts;
  readonly fields: FailedAttempt | undefined;
  /** The worker takes its next job in the same call; null: it does not. */
  readonly next: JobTaker | null;
}

/** Which finished jobs stay: none for a count of 0, all for -1; an age in seconds besides. */
export interface KeepCounts {
  readonly count: number;
  readonly ageSeconds: number | null;
  readonly removeLimit: number;
}

const COMMAND = "moveToFinished";
/** BullMQ's own bound on what one finished job may take away with it. */
const REMOVE_LIMIT = 1_000;

/** A job's own wish, else the worker's, else all stay. */
export function toKeepCounts(
  job: boolean | number | KeepJobs | undefined,
  worker: boolean | number | KeepJobs | undefined,
): KeepCounts {
  const keep = job ?? worker ?? false;
  if (typeof keep === "object") {
    const { count = -1, age = null, limit = REMOVE_LIMIT } = keep as { count?: number; age?: number; limit?: number };
    return { count, ageSeconds: age, removeLimit: limit };
  }
  const count = typeof keep === "number" ? keep : keep ? 0 : -1;
  return { count, ageSeconds: null, removeLimit: REMOVE_LIMIT };
}

/**
 * Moves an active job to the finished ones, or away if none are kept.
 * @returns the next job, when the worker asked for it
 * @throws JobError when the job is gone, is not active, or is locked by another
 */
export function finishJob(state: QueueState, finish: Finish): { result: TakenJob; finishedOn: number } {
  const job = state.jobs.get(finish.jobId);
  if (job === undefined) {
    throw missingJob(finish.jobId, COMMAND);
  }
  releaseLock(state, job, finish.token, COMMAND);
  if (job.place !== "active") {
    throw notInState(job.id, "active", COMMAND);
  }
  const finishedOn = state.now();
  updateFields(job, finish.fields);
  job.attemptsMade += 1;
  job.lock = null;
  keepOrForget(state, job, finish, finishedOn);
  appendFinishEvents(state, job, finish);
  const following = finish.next === null ? null : takeFollowing(state, finish.next);
  if (following === null && isDrained(state)) {
    state.events.append("drained");
  }
  return { result: following ?? [], finishedOn };
}

function keepOrForget(state: QueueState, job: JobRecord, finish: Finish, finishedOn: number): void {
  if (finish.keep.count === 0) {
    state.forget(job);
    return;
  }
  state.leavePlace(job);
  job.place = finish.to;
  job.finishedOn = finishedOn;
  if (finish.to === "completed") {
    job.returnvalueJson = finish.value;
  } else {
    job.failedReason = finish.value;
    job.deferredFailure = undefined;
  }
  state.places[finish.to].set(job.id, finishedOn);
  removeOld(state, finish, finishedOn);
}

function removeOld(state: QueueState, { to, keep }: Finish, finishedOn: number): void {
  const place = state.places[to];
  const tooOld = keep.ageSeconds === null ? [] : place.upTo(finishedOn - keep.ageSeconds * 1_000, keep.removeLimit);
  const surplus = keep.count < 0 ? 0 : place.size - tooOld.length - keep.count;
  const tooMany =
    surplus <= 0 ? [] : place.upTo(Number.POSITIVE_INFINITY, tooOld.length + surplus).slice(tooOld.length);
  for (const jobId of [...tooOld, ...tooMany]) {
    const old = state.jobs.get(jobId);
    if (old !== undefined) {
      state.forget(old);
    }
  }
}

function appendFinishEvents(state: QueueState, job: JobRecord, { to, value, attempts }: Finish): void {
  const field = to === "completed" ? "returnvalue" : "failedReason";
  state.events.append(to, { jobId: job.id, [field]: value, prev: "active" });
  if (to === "failed" && job.attemptsMade >= attempts) {
    state.events.append("retries-exhausted", { jobId: job.id, attemptsMade: job.attemptsMade });
  }
}

function isDrained({ places }: QueueState): boolean {
  return places.wait.size === 0 && places.active.size === 0 && places.prioritized.size === 0;
}
