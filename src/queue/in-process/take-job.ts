import { takeLock } from "./job-locks.ts";
import { type JobRecord, toJobJson } from "./job-record.ts";
import type { QueueState } from "./queue-state.ts";

/** As whom a worker takes a job. */
export interface JobTaker {
  readonly token: string;
  readonly lockMs: number;
  readonly workerName: string | undefined;
}

/** What BullMQ's worker reads: the job and its id, how long a rate limit lasts, and when the next delayed job is due. */
export type TakenJob = unknown[];

/** Delayed jobs that become due are moved so many at a time. */
const PROMOTE_LIMIT = 1_000;

/** Takes the next job: first those without a priority, in their order, then the prioritized, the lowest number first. */
export function takeJob(state: QueueState, taker: JobTaker): TakenJob {
  const taken = takeNext(state, taker);
  return taken === null
    ? [null, "", 0, state.isBlocked() ? 0 : (state.nextDelayedAt() ?? 0)]
    : [toJobJson(taken), taken.id, 0, 0];
}

/** The same for a worker that has just finished another one; null when there is neither a job nor one that is delayed. */
export function takeFollowing(state: QueueState, taker: JobTaker): TakenJob | null {
  const taken = takeJob(state, taker);
  return taken[0] === null && taken[3] === 0 && !state.isBlocked() ? null : taken;
}

function takeNext(state: QueueState, taker: JobTaker): JobRecord | null {
  promoteDue(state);
  if (state.isBlocked()) {
    return null;
  }
  const jobId = state.places.wait.takeFirst() ?? state.places.prioritized.takeFirst();
  const job = jobId === undefined ? undefined : state.jobs.get(jobId);
  if (job === undefined) {
    return null;
  }
  job.place = "active";
  state.places.active.addLast(job.id);
  takeLock(state, job, taker.token, taker.lockMs);
  job.processedOn = state.now();
  job.processedBy = taker.workerName ?? job.processedBy;
  job.attemptsStarted += 1;
  state.events.append("active", { jobId: job.id, prev: "waiting" });
  // Where one job was there may be another: the next idle worker looks.
  state.marker.markJobReady();
  return job;
}

/** Delayed jobs whose time has come wait from now on. */
export function promoteDue(state: QueueState): void {
  const due = state.delayedUntil(state.now(), PROMOTE_LIMIT);
  for (const jobId of due) {
    const job = state.jobs.get(jobId);
    if (job !== undefined) {
      state.leavePlace(job);
      job.delay = 0;
      state.enqueue(job);
      state.events.append("waiting", { jobId, prev: "delayed" });
    }
  }
}
