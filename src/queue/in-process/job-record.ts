import type { JobJson, JobsOptions } from "bullmq";

/** Where a job is. `wait` and `prioritized` both wait: those without a priority come first. */
export const JOB_PLACES = ["wait", "prioritized", "active", "delayed", "completed", "failed"] as const;
export type JobPlace = (typeof JOB_PLACES)[number];

/** Who works on a job, and until when that holds. */
export interface JobLock {
  readonly token: string;
  readonly untilAt: number;
}

/**
 * One job. What the caller gave is kept as JSON text and handed out parsed anew, so that nobody can change a job by changing an
 * object that they still hold.
 */
export interface JobRecord {
  readonly id: string;
  readonly name: string;
  readonly optsJson: string;
  readonly timestamp: number;
  readonly repeatJobKey: string | undefined;
  dataJson: string;
  place: JobPlace;
  delay: number;
  priority: number;
  progressJson: string;
  attemptsMade: number;
  attemptsStarted: number;
  stalledCounter: number;
  processedOn: number | undefined;
  finishedOn: number | undefined;
  processedBy: string | undefined;
  returnvalueJson: string | undefined;
  failedReason: string | undefined;
  stacktraceJson: string | undefined;
  deferredFailure: string | undefined;
  lock: JobLock | null;
  readonly logs: string[];
}

/** What a new job is made of. */
export interface NewJob {
  readonly id: string;
  readonly name: string;
  readonly dataJson: string;
  readonly opts: JobsOptions;
  readonly timestamp: number;
  readonly repeatJobKey: string | undefined;
}

export function createJobRecord(job: NewJob, place: JobPlace): JobRecord {
  return {
    id: job.id,
    name: job.name,
    dataJson: job.dataJson,
    optsJson: JSON.stringify(job.opts),
    timestamp: job.timestamp,
    repeatJobKey: job.repeatJobKey,
    place,
    delay: job.opts.delay ?? 0,
    priority: job.opts.priority ?? 0,
    progressJson: "0",
    attemptsMade: 0,
    attemptsStarted: 0,
    stalledCounter: 0,
    processedOn: undefined,
    finishedOn: undefined,
    processedBy: undefined,
    returnvalueJson: undefined,
    failedReason: undefined,
    stacktraceJson: undefined,
    deferredFailure: undefined,
    lock: null,
    logs: [],
  };
}

/** A job as BullMQ's `Job` is made from; fields that were never set are not in it. */
export function toJobJson(record: JobRecord): JobJson {
  const json = {
    id: record.id,
    name: record.name,
    data: record.dataJson,
    opts: JSON.parse(record.optsJson) as JobsOptions,
    progress: JSON.parse(record.progressJson) as JobJson["progress"],
    delay: record.delay,
    priority: record.priority,
    timestamp: record.timestamp,
    attemptsMade: record.attemptsMade,
    attemptsStarted: record.attemptsStarted,
    stalledCounter: record.stalledCounter,
    finishedOn: record.finishedOn,
    processedOn: record.processedOn,
    processedBy: record.processedBy,
    repeatJobKey: record.repeatJobKey,
    failedReason: record.failedReason,
    deferredFailure: record.deferredFailure,
    stacktrace: record.stacktraceJson,
    returnvalue: record.returnvalueJson,
  };
  // BullMQ's type says that some of these are always there; its own backends leave them out too.
  return Object.fromEntries(Object.entries(json).filter(([, value]) => value !== undefined)) as unknown as JobJson;
}

/** The fields that a failed attempt leaves on its job (BullMQ's `fieldsToUpdate`). */
export interface FailedAttempt {
  readonly failedReason?: string;
  /** JSON text. */
  readonly stacktrace?: string;
}

export function updateFields(record: JobRecord, fields: FailedAttempt | undefined): void {
  record.failedReason = fields?.failedReason ?? record.failedReason;
  record.stacktraceJson = fields?.stacktrace ?? record.stacktraceJson;
}
