import { isLocked } from "./job-locks.ts";
import type { QueueState } from "./queue-state.ts";

const STALLED_TOO_OFTEN = "job stalled more than allowable limit";

/**
 * Gives back the active jobs whose lock ran out and was not renewed since the last look, so that a job which was only just taken
 * is never among them. One that stalled too often is marked, and fails when it is taken again.
 * @returns the ids of the jobs that were given back
 */
export function moveStalledToWait(
  state: QueueState,
  { maxStalledCount, intervalMs }: { readonly maxStalledCount: number; readonly intervalMs: number },
): string[] {
  if (state.now() < state.stallCheckAt) {
    return [];
  }
  state.stallCheckAt = state.now() + intervalMs;
  const stalled: string[] = [];
  for (const jobId of state.stallCandidates) {
    const job = state.jobs.get(jobId);
    if (job?.place !== "active" || isLocked(state, job)) {
      continue;
    }
    state.leavePlace(job);
    job.lock = null;
    job.stalledCounter += 1;
    const isScheduled = job.repeatJobKey !== undefined && state.schedulers.has(job.repeatJobKey);
    if (job.stalledCounter > maxStalledCount && !isScheduled) {
      job.deferredFailure = STALLED_TOO_OFTEN;
    }
    state.enqueueUnprioritized(job, true);
    state.wakeWorker();
    state.events.append("waiting", { jobId, prev: "active" });
    state.events.append("stalled", { jobId });
    stalled.push(jobId);
  }
  state.stallCandidates.clear();
  for (const jobId of state.places.active.ids()) {
    state.stallCandidates.add(jobId);
  }
  return stalled;
}
