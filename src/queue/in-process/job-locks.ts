import { lockMismatch, missingLock } from "./job-error.ts";
import type { JobRecord } from "./job-record.ts";
import type { QueueState } from "./queue-state.ts";

/** BullMQ's token for callers that hold no lock and need none. */
export const NO_LOCK = "0";

/** A lock that has run out no longer counts. */
export function isLocked(state: QueueState, job: JobRecord): boolean {
  return job.lock !== null && state.now() < job.lock.untilAt;
}

export function takeLock(state: QueueState, job: JobRecord, token: string, durationMs: number): void {
  if (token !== NO_LOCK) {
    job.lock = { token, untilAt: state.now() + durationMs };
  }
}

/** @throws JobError when the lock is another's, or has run out */
export function releaseLock(state: QueueState, job: JobRecord, token: string, command: string): void {
  if (token === NO_LOCK) {
    return;
  }
  if (!isLocked(state, job)) {
    throw missingLock(job.id, command);
  }
  if (job.lock?.token !== token) {
    throw lockMismatch(job.id, command);
  }
  job.lock = null;
  state.stallCandidates.delete(job.id);
}

/** @returns false when there is no such job, or its lock is another's or has run out */
export function extendLock(state: QueueState, jobId: string, token: string, durationMs: number): boolean {
  const job = state.jobs.get(jobId);
  if (job === undefined || !isLocked(state, job) || job.lock?.token !== token) {
    return false;
  }
  takeLock(state, job, token, durationMs);
  state.stallCandidates.delete(jobId);
  return true;
}
