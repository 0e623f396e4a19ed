import type { FinishedStatus, JobState } from "bullmq";
import { missingJob, notInState } from "./job-error.ts";
import { releaseLock } from "./job-locks.ts";
import { type FailedAttempt, type JobRecord, updateFields } from "./job-record.ts";
import type { QueueState } from "./queue-state.ts";
import { promoteDue } from "./take-job.ts";

/** A worker gives back a job that it holds. */
interface GiveBack {
  readonly jobId: string;
  readonly token: string;
  readonly fields?: FailedAttempt | undefined;
}

/** To be done after a delay. @throws JobError */
export function moveToDelayed(
  state: QueueState,
  {
    jobId,
    token,
    fields,
    fromAt,
    delayMs,
    isAttempt,
  }: GiveBack & { fromAt: number; delayMs: number; isAttempt: boolean },
): void {
  const job = giveBack(state, { jobId, token, fields }, "moveToDelayed");
  job.attemptsMade += isAttempt ? 1 : 0;
  const dueAt = state.delay(job, fromAt, delayMs);
  state.events.append("delayed", { jobId, delay: dueAt });
}

/** To be done next: the job was taken and not worked on. @throws JobError */
export function moveActiveToWait(state: QueueState, { jobId, token }: GiveBack): void {
  const job = giveBack(state, { jobId, token }, "moveJobFromActiveToWait");
  if (job.priority > 0) {
    state.enqueueBeforePeers(job);
  } else {
    state.enqueueUnprioritized(job, true);
  }
  state.wakeWorker();
  state.events.append("waiting", { jobId, prev: "active" });
}

/** To be tried again at once, after a failed attempt. @throws JobError */
export function retryActive(state: QueueState, { jobId, token, fields, lifo }: GiveBack & { lifo: boolean }): void {
  promoteDue(state);
  const job = giveBack(state, { jobId, token, fields }, "retryJob");
  state.enqueue(job, lifo);
  job.attemptsMade += 1;
  state.events.append("waiting", { jobId, prev: "active" });
}

/** To be done once more, although it is finished. @throws JobError */
export function retryFinished(
  state: QueueState,
  retry: { jobId: string; from: FinishedStatus; lifo: boolean; resetMade: boolean; resetStarted: boolean },
): void {
  const job = findIn(state, retry.jobId, retry.from, "reprocessJob");
  job.attemptsMade = retry.resetMade ? 0 : job.attemptsMade;
  job.attemptsStarted = retry.resetStarted ? 0 : job.attemptsStarted;
  state.leavePlace(job);
  clearOutcome(job, retry.from);
  state.enqueue(job, retry.lifo);
  state.events.append("waiting", { jobId: job.id, prev: retry.from });
}

/**
 * Moves jobs of a state to those that wait, the oldest first, whatever their priority (as BullMQ does).
 * @returns 1 when there may be more, 0 when that was all
 */
export function moveAllToWait(
  state: QueueState,
  { from, count, until }: { from: FinishedStatus | "delayed"; count: number; until: number },
): 0 | 1 {
  const jobIds = state.places[from].upTo(until, count);
  for (const jobId of jobIds) {
    const job = state.jobs.get(jobId);
    if (job !== undefined) {
      state.leavePlace(job);
      clearOutcome(job, from);
      state.enqueueUnprioritized(job, false);
      state.events.append("waiting", { jobId, prev: from });
    }
  }
  if (jobIds.length > 0) {
    state.wakeWorker();
  }
  return jobIds.length >= count ? 1 : 0;
}

/** A delayed job is done as soon as can be. @throws JobError */
export function promote(state: QueueState, jobId: string): void {
  const job = state.jobs.get(jobId);
  if (job?.place !== "delayed") {
    throw notInState(jobId, "delayed", "promote");
  }
  state.leavePlace(job);
  job.delay = 0;
  state.enqueue(job);
  state.events.append("waiting", { jobId, prev: "delayed" });
}

/** A delayed job is due so long from now. @throws JobError */
export function changeDelay(state: QueueState, jobId: string, delayMs: number): void {
  const job = findIn(state, jobId, "delayed", "changeDelay");
  state.leavePlace(job);
  const dueAt = state.delay(job, state.now(), delayMs);
  state.events.append("delayed", { jobId, delay: dueAt });
  state.markNextDelayed();
}

/** A job that waits changes its place; any other one remembers the priority for when it waits. @throws JobError */
export function changePriority(
  state: QueueState,
  jobId: string,
  { priority, lifo }: { priority: number; lifo: boolean },
) {
  const job = state.jobs.get(jobId);
  if (job === undefined) {
    throw missingJob(jobId, "changePriority");
  }
  job.priority = priority;
  if (job.place !== "wait" && job.place !== "prioritized") {
    return;
  }
  state.leavePlace(job);
  if (priority > 0 && lifo) {
    state.enqueueBeforePeers(job);
  } else {
    state.enqueue(job, lifo);
  }
}

function giveBack(state: QueueState, { jobId, token, fields }: GiveBack, command: string): JobRecord {
  const job = state.jobs.get(jobId);
  if (job === undefined) {
    throw missingJob(jobId, command);
  }
  releaseLock(state, job, token, command);
  if (job.place !== "active") {
    throw notInState(jobId, "active", command);
  }
  updateFields(job, fields);
  state.leavePlace(job);
  return job;
}

function findIn(state: QueueState, jobId: string, place: FinishedStatus | "delayed", command: string): JobRecord {
  const job = state.jobs.get(jobId);
  if (job === undefined) {
    throw missingJob(jobId, command);
  }
  if (job.place !== place) {
    throw notInState(jobId, place satisfies JobState, command);
  }
  return job;
}

function clearOutcome(job: JobRecord, from: FinishedStatus | "delayed"): void {
  if (from !== "delayed") {
    job.finishedOn = undefined;
    job.processedOn = undefined;
    job.returnvalueJson = from === "completed" ? undefined : job.returnvalueJson;
    job.failedReason = from === "failed" ? undefined : job.failedReason;
  }
}
