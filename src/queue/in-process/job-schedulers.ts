import { ErrorCode, type JobsOptions, type RepeatableOptions } from "bullmq";
import { storeJob } from "./add-jobs.ts";
import { JobError } from "./job-error.ts";
import type { JobRecord } from "./job-record.ts";
import type { QueueState, SchedulerRecord } from "./queue-state.ts";
import { sliceInclusive } from "./ranked-ids.ts";

/** Slots that stale jobs of an earlier scheduler of the same id may occupy before a new one gives up. */
const MAX_SLOT_SCANS = 32;

/** A scheduled job's options; BullMQ's type does not name what it puts there itself. */
export type SlotJobOptions = JobsOptions & {
  readonly repeat?: { readonly every?: number; readonly offset?: number | null };
};

/** A scheduler to add, or to put in the place of the one of its id. */
export interface NewScheduler {
  readonly id: string;
  /** When a cron pattern says that the next job is due; for `every` it is computed here. */
  readonly nextAt: number;
  readonly templateDataJson: string;
  readonly templateOpts: JobsOptions;
  readonly repeat: RepeatableOptions;
  readonly jobOpts: SlotJobOptions;
}

/**
 * Adds or replaces a job scheduler, and adds its next job in the place of the one that waited.
 * @returns the id of that job, and how long it is delayed
 * @throws JobError when its slot is taken
 */
export function addJobScheduler(state: QueueState, scheduler: NewScheduler): [string, number] {
  const { id, repeat } = scheduler;
  const every = repeat.every ?? null;
  const old = state.schedulers.get(id) ?? null;
  const isSameEvery = old !== null && Number(old.fields.get("every")) === every;
  const repeatOffset = scheduler.jobOpts.repeat?.offset ?? 0;
  const slot =
    every === null
      ? { nextAt: scheduler.nextAt, offset: repeat.offset ?? repeatOffset }
      : nextEvery(state.now(), {
          prevAt: isSameEvery ? old.nextAt : null,
          every,
          offset: repeat.offset ?? repeatOffset,
          startAt: repeat.startDate ?? null,
        });
  const replaced = old === null ? null : findWaiting(state, jobIdOfSlot(id, old.nextAt));
  const wantedAt = replaced !== null && isSameEvery ? old.nextAt : slot.nextAt;
  const nextAt = findFreeSlot(state, id, { wantedAt, every, replaced });
  if (replaced !== null) {
    state.forget(replaced);
  }
  storeScheduler(state, scheduler, { nextAt, offset: replaced === null ? slot.offset : (repeat.offset ?? null) });
  return [jobIdOfSlot(id, nextAt), addSlotJob(state, id, scheduler.jobOpts)];
}

/**
 * Adds the next job of a scheduler, when the one that asks for it (`producerId`) is its present one.
 * @returns the new job's id, or null when there is no such scheduler or its next job is there already
 */
export function advanceJobScheduler(
  state: QueueState,
  {
    id,
    nextAt,
    jobOpts,
    producerId,
  }: { id: string; nextAt: number; jobOpts: SlotJobOptions; producerId: string | undefined },
): string | null {
  const scheduler = state.schedulers.get(id);
  if (scheduler === undefined || producerId !== jobIdOfSlot(id, scheduler.nextAt)) {
    return null;
  }
  const every = Number(scheduler.fields.get("every") ?? jobOpts.repeat?.every ?? 0);
  const offset = Number(scheduler.fields.get("offset") ?? jobOpts.repeat?.offset ?? 0);
  const startAt = scheduler.fields.has("startDate") ? Number(scheduler.fields.get("startDate")) : null;
  const next = every > 0 ? nextEvery(state.now(), { prevAt: scheduler.nextAt, every, offset, startAt }).nextAt : nextAt;
  const jobId = jobIdOfSlot(id, next);
  if (state.jobs.has(jobId)) {
    state.events.append("duplicated", { jobId });
    return null;
  }
  scheduler.fields.set("ic", String(Number(scheduler.fields.get("ic")) + 1));
  state.schedulers.set(id, { fields: scheduler.fields, nextAt: next });
  addSlotJob(state, id, jobOpts);
  return jobId;
}

/** Removes a scheduler, and its next job unless a worker has it. @returns 0, or 1 when there is none (as BullMQ has it) */
export function removeJobScheduler(state: QueueState, id: string): 0 | 1 {
  const scheduler = state.schedulers.get(id);
  if (scheduler === undefined) {
    return 1;
  }
  const next = state.jobs.get(jobIdOfSlot(id, scheduler.nextAt));
  if (next?.place === "delayed") {
    state.forget(next);
    state.events.append("removed", { jobId: next.id, prev: "delayed" });
  }
  state.schedulers.delete(id);
  return 0;
}

/** Names and values in turn, and when its next job is due: as Redis gives them. */
export function readJobScheduler(state: QueueState, id: string): [string[] | null, string | null] {
  const scheduler = state.schedulers.get(id);
  return scheduler === undefined ? [null, null] : [[...scheduler.fields].flat(), String(scheduler.nextAt)];
}

/** Ids, each followed by when its next job is due. */
export function rangeOfSchedulers(
  state: QueueState,
  { start, end, asc }: { readonly start: number; readonly end: number; readonly asc: boolean },
): string[] {
  const ranked = rankSchedulers(state);
  const part = sliceInclusive(asc ? ranked : ranked.reverse(), start, end);
  return part.flatMap(([id, scheduler]) => [id, String(scheduler.nextAt)]);
}

/** Schedulers by when their next job is due. */
export function rankSchedulers(state: QueueState): (readonly [id: string, scheduler: SchedulerRecord])[] {
  return [...state.schedulers].sort(([idA, a], [idB, b]) => a.nextAt - b.nextAt || (idA < idB ? -1 : 1));
}

/** Without this job its scheduler would stop: it may not be removed by itself. */
export function isNextOfScheduler(state: QueueState, job: JobRecord): boolean {
  const scheduler = job.repeatJobKey === undefined ? undefined : state.schedulers.get(job.repeatJobKey);
  return scheduler !== undefined && job.id === jobIdOfSlot(job.repeatJobKey ?? "", scheduler.nextAt);
}

function jobIdOfSlot(id: string, at: number): string {
  return `repeat:${id}:${at}`;
}

/** The next slot of `every` ms after the last one, or after now when slots were missed; slots keep their offset. */
function nextEvery(
  now: number,
  { prevAt, every, offset, startAt }: { prevAt: number | null; every: number; offset: number; startAt: number | null },
): { nextAt: number; offset: number } {
  const aligned = Math.floor(now / every) * every + offset;
  const nextAligned = aligned <= now ? aligned + every : aligned;
  let nextAt: number;
  if (prevAt !== null) {
    nextAt = prevAt + every < now ? nextAligned : prevAt + every;
  } else if (startAt !== null) {
    nextAt = Math.max(startAt, now);
  } else {
    nextAt = offset > 0 ? nextAligned : now;
  }
  return { nextAt: Math.floor(nextAt), offset: offset === 0 ? Math.floor(nextAt % every) : offset };
}

/** @throws JobError when jobs that are not the scheduler's to replace have its slots */
function findFreeSlot(
  state: QueueState,
  id: string,
  { wantedAt, every, replaced }: { wantedAt: number; every: number | null; replaced: JobRecord | null },
): number {
  const isTaken = (jobId: string) => state.jobs.has(jobId) && jobId !== replaced?.id;
  let at = wantedAt;
  for (let scans = 0; isTaken(jobIdOfSlot(id, at)); scans++) {
    if (every === null) {
      throw new JobError(
        ErrorCode.SchedulerJobIdCollision,
        "Cannot create job scheduler iteration - job ID already exists. addJobScheduler",
      );
    }
    if (scans >= MAX_SLOT_SCANS) {
      throw new JobError(
        ErrorCode.SchedulerJobSlotsBusy,
        "Cannot create job scheduler iteration - current and next time slots already have jobs. addJobScheduler",
      );
    }
    at += every;
  }
  return at;
}

/** The job of a slot, while no worker has taken it. */
function findWaiting(state: QueueState, jobId: string): JobRecord | null {
  const job = state.jobs.get(jobId);
  return job !== undefined && ["delayed", "prioritized", "wait"].includes(job.place) ? job : null;
}

function storeScheduler(
  state: QueueState,
  { id, repeat, templateOpts, templateDataJson }: NewScheduler,
  { nextAt, offset }: { readonly nextAt: number; readonly offset: number | null },
): void {
  const old = state.schedulers.get(id)?.fields;
  const optsJson = JSON.stringify(templateOpts);
  const values: Record<string, string | number | null | undefined> = {
    name: repeat.name,
    tz: repeat.tz,
    limit: repeat.limit,
    pattern: repeat.pattern,
    startDate: repeat.startDate,
    endDate: repeat.endDate,
    every: repeat.every,
    offset: offset ?? old?.get("offset"),
    opts: optsJson === "{}" ? undefined : optsJson,
    data: templateDataJson === "{}" ? undefined : templateDataJson,
    ic: old?.get("ic") ?? 1,
  };
  const present = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  state.schedulers.set(id, { fields: new Map(present.map(([name, value]) => [name, String(value)])), nextAt });
}

/** @returns how long the job is delayed */
function addSlotJob(state: QueueState, id: string, jobOpts: JobsOptions): number {
  const scheduler = state.schedulers.get(id);
  if (scheduler === undefined) {
    throw new Error(`no job scheduler ${id}`);
  }
  state.nextJobNumber();
  const now = state.now();
  const jobId = jobIdOfSlot(id, scheduler.nextAt);
  const delay = Math.max(0, scheduler.nextAt - now);
  storeJob(state, {
    id: jobId,
    name: scheduler.fields.get("name") ?? id,
    dataJson: scheduler.fields.get("data") ?? "{}",
    opts: { ...jobOpts, jobId, delay },
    timestamp: now,
    repeatJobKey: id,
  });
  return delay;
}
