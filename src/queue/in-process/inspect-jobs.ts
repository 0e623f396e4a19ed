import type { JobState, JobType } from "bullmq";
import { JOB_PLACES, type JobPlace } from "./job-record.ts";
import { rankSchedulers } from "./job-schedulers.ts";
import type { QueueState } from "./queue-state.ts";
import { sliceInclusive } from "./ranked-ids.ts";

/** A finished job's outcome, as BullMQ asks for it: 1 completed, 2 failed, 0 neither, -1 there is no such job. */
type FinishedCode = -1 | 0 | 1 | 2;

/** BullMQ says both `wait` and `waiting`. Null for a state that no job of this queue is ever in. */
export function toPlace(type: string): JobPlace | null {
  const name = type === "waiting" ? "wait" : type;
  return JOB_PLACES.find((place) => place === name) ?? null;
}

export function countJobs(state: QueueState, types: readonly JobType[], delayedBefore: number | undefined): number[] {
  return types.map((type) => {
    const place = toPlace(type);
    if (place === "delayed" && delayedBefore !== undefined) {
      return state.countDelayedBefore(delayedBefore);
    }
    if (place !== null) {
      return state.places[place].size;
    }
    return type === "repeat" ? state.schedulers.size : 0;
  });
}

/** How many jobs wait with each priority; 0 are those without one. */
export function countPriorities(state: QueueState, priorities: readonly number[]): number[] {
  return priorities.map((priority) => (priority === 0 ? state.places.wait.size : state.countOfPriority(priority)));
}

/**
 * Ids by state, in the order in which BullMQ expects them: of those that wait and of the active the newest first, and turned round
 * by the caller for `asc`; of the others the lowest or, without `asc`, the highest rank first.
 */
export function rangeOfJobs(
  state: QueueState,
  type: JobType,
  { start, end, asc }: { readonly start: number; readonly end: number; readonly asc: boolean },
): string[] {
  const place = toPlace(type);
  const ids = place === null ? idsOfSchedulers(state, type) : state.places[place].ids();
  if (place === "wait" || place === "active") {
    return asc ? sliceInclusive(ids, start, end).reverse() : sliceInclusive(ids.reverse(), start, end);
  }
  return sliceInclusive(asc ? ids : ids.reverse(), start, end);
}

export function stateOf(state: QueueState, jobId: string): JobState | "unknown" {
  const place = state.jobs.get(jobId)?.place;
  return place === "wait" ? "waiting" : (place ?? "unknown");
}

/** @throws Error, in BullMQ's words, for a state that there is not */
export function isInState(state: QueueState, type: string, jobId: string): boolean {
  const place = toPlace(type);
  if (place === null && type !== "paused" && type !== "waiting-children") {
    throw new Error(`Unknown job state: ${type}`);
  }
  return place !== null && state.places[place].has(jobId);
}

/** With the result as JSON text or the reason of the failure, if that is asked for. */
export function isFinished(
  state: QueueState,
  jobId: string,
  isValueWanted: boolean,
): FinishedCode | [FinishedCode, string] {
  const job = state.jobs.get(jobId);
  let code: FinishedCode = 0;
  let value = "";
  if (job === undefined) {
    code = -1;
    value = `Missing key for job ${jobId}. isFinished`;
  } else if (job.place === "completed") {
    code = 1;
    value = job.returnvalueJson ?? "null";
  } else if (job.place === "failed") {
    code = 2;
    value = job.failedReason ?? "";
  }
  return isValueWanted ? [code, value] : code;
}

export function readLogs(
  state: QueueState,
  jobId: string,
  { start, end, asc }: { readonly start: number; readonly end: number; readonly asc: boolean },
): { logs: string[]; count: number } {
  const logs = state.jobs.get(jobId)?.logs ?? [];
  return { logs: sliceInclusive(asc ? logs : logs.toReversed(), start, end), count: logs.length };
}

function idsOfSchedulers(state: QueueState, type: JobType): string[] {
  return type === "repeat" ? rankSchedulers(state).map(([id]) => id) : [];
}
