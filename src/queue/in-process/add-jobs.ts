import type { JobJson, ParentKeyOpts } from "bullmq";
import { createJobRecord, type NewJob } from "./job-record.ts";
import type { QueueState } from "./queue-state.ts";
import { refuseOperation } from "./refuse-operation.ts";

/** A job as BullMQ gives it. */
export interface JobToAdd {
  readonly job: JobJson;
  readonly jobId: string | undefined;
  readonly parentKeyOpts?: ParentKeyOpts | undefined;
}

/**
 * Adds jobs, all or, when one of them asks for what this queue does not have, none. A job with the id of one that is there is not
 * added again, whatever became of that one.
 * @returns their ids, in the same order
 * @throws LicetError CONFIG_INVALID for a parent or a deduplication
 */
export function addJobs(state: QueueState, entries: readonly JobToAdd[]): string[] {
  for (const entry of entries) {
    assertCanAdd(entry);
  }
  return entries.map(({ job, jobId }) => addOne(state, job, jobId));
}

function assertCanAdd({ job, parentKeyOpts }: JobToAdd): void {
  if (job.parentKey !== undefined || job.parent !== undefined || parentKeyOpts?.addToWaitingChildren === true) {
    refuseOperation("jobs with a parent (flows)");
  }
  if (job.deduplicationId !== undefined) {
    refuseOperation("the job option deduplication");
  }
}

function addOne(state: QueueState, job: JobJson, jobId: string | undefined): string {
  const number = state.nextJobNumber();
  const id = jobId === undefined || jobId === "" ? String(number) : jobId;
  if (state.jobs.has(id)) {
    state.events.append("duplicated", { jobId: id });
    return id;
  }
  const { name, data, opts, timestamp, repeatJobKey } = job;
  storeJob(state, { id, name, dataJson: data, opts, timestamp, repeatJobKey });
  return id;
}

/** Puts a new job where its options say: delayed, prioritized, or behind (with `lifo`: before) those that wait. */
export function storeJob(state: QueueState, job: NewJob): void {
  const record = createJobRecord(job, "wait");
  state.jobs.set(job.id, record);
  state.events.append("added", { jobId: job.id, name: job.name });
  if (record.delay > 0) {
    const dueAt = state.delay(record, job.timestamp, record.delay);
    state.events.append("delayed", { jobId: job.id, delay: dueAt });
    state.markNextDelayed();
  } else {
    state.enqueue(record, job.opts.lifo === true);
    state.events.append("waiting", { jobId: job.id });
  }
}
