import { ErrorCode } from "bullmq";
import { JobError } from "./job-error.ts";
import { isLocked } from "./job-locks.ts";
import type { JobPlace, JobRecord } from "./job-record.ts";
import { isNextOfScheduler } from "./job-schedulers.ts";
import type { QueueState } from "./queue-state.ts";

/** Active jobs first: while they are there, `obliterate` may refuse. */
const OBLITERATE_ORDER = ["active", "delayed", "completed", "wait", "prioritized", "failed"] as const;

/**
 * Removes a job, wherever it is.
 * @returns 0 when a worker holds it, else 1, also when there is none
 * @throws JobError for the next job of a scheduler
 */
export function removeJob(state: QueueState, jobId: string): 0 | 1 {
  const job = state.jobs.get(jobId);
  if (job === undefined) {
    return 1;
  }
  if (isNextOfScheduler(state, job)) {
    throw new JobError(
      ErrorCode.JobBelongsToJobScheduler,
      `Job ${jobId} belongs to a job scheduler and cannot be removed directly. removeJob`,
    );
  }
  if (isLocked(state, job)) {
    return 0;
  }
  const prev = job.place;
  state.forget(job);
  state.events.append("removed", { jobId, prev });
  return 1;
}

/** Removes all jobs that wait, and with `isDelayedToo` the delayed ones; the next jobs of schedulers stay. */
export function drainJobs(state: QueueState, isDelayedToo: boolean): void {
  const places: readonly JobPlace[] = isDelayedToo ? ["wait", "prioritized", "delayed"] : ["wait", "prioritized"];
  for (const job of places.flatMap((place) => jobsIn(state, place))) {
    if (!isNextOfScheduler(state, job)) {
      state.forget(job);
    }
  }
}

/**
 * Removes jobs of a state that are older than a time, the oldest first: finished ones by their end, others by when they were last
 * taken or else added. Jobs that a worker holds stay, and the next jobs of schedulers.
 * @returns their ids, at most `limit` (0: all)
 */
export function cleanJobs(
  state: QueueState,
  place: JobPlace,
  { until, limit }: { until: number; limit: number },
): string[] {
  const removed: string[] = [];
  for (const job of jobsIn(state, place)) {
    if (limit > 0 && removed.length >= limit) {
      break;
    }
    if (ageFrom(job) <= until && !isKept(state, job)) {
      state.forget(job);
      removed.push(job.id);
    }
  }
  state.events.append("cleaned", { count: removed.length });
  return removed;
}

/**
 * Removes everything, `count` jobs at a time, from a queue that is paused.
 * @returns 1 while there is more to remove, then 0
 * @throws Error, in BullMQ's words, when it is not paused, or has active jobs and `force` is not given
 */
export function obliterate(state: QueueState, { force, count }: { force: boolean; count: number }): 0 | 1 {
  if (!state.meta.has("paused")) {
    throw new Error("Cannot obliterate non-paused queue");
  }
  if (state.places.active.size > 0 && !force) {
    throw new Error("Cannot obliterate queue with active jobs");
  }
  let left = count;
  for (const place of OBLITERATE_ORDER) {
    for (const jobId of state.places[place].ids()) {
      if (left === 0) {
        return 1;
      }
      const job = state.jobs.get(jobId);
      if (job !== undefined) {
        state.forget(job);
        left -= 1;
      }
    }
  }
  state.reset();
  return 0;
}

function jobsIn(state: QueueState, place: JobPlace): JobRecord[] {
  return state.places[place].ids().flatMap((jobId) => state.jobs.get(jobId) ?? []);
}

function ageFrom(job: JobRecord): number {
  if (job.place === "prioritized") {
    return job.timestamp;
  }
  return job.finishedOn ?? job.processedOn ?? job.timestamp;
}

function isKept(state: QueueState, job: JobRecord): boolean {
  return (job.place === "active" && isLocked(state, job)) || isNextOfScheduler(state, job);
}
