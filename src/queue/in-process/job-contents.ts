import type { JobProgress } from "bullmq";
import { missingJob } from "./job-error.ts";
import type { QueueState } from "./queue-state.ts";

/** @throws JobError when there is no such job */
export function updateData(state: QueueState, jobId: string | undefined, data: unknown): void {
  const job = state.jobs.get(jobId ?? "");
  if (job === undefined) {
    throw missingJob(jobId, "updateData");
  }
  job.dataJson = JSON.stringify(data) ?? "{}";
}

/** @throws JobError when there is no such job */
export function updateProgress(state: QueueState, jobId: string, progress: JobProgress): void {
  const job = state.jobs.get(jobId);
  if (job === undefined) {
    throw missingJob(jobId, "updateProgress");
  }
  job.progressJson = JSON.stringify(progress) ?? "null";
  state.events.append("progress", { jobId, data: job.progressJson });
}

/**
 * Adds a line to a job's log, of which the last `keepLogs` stay.
 * @returns how many lines there are
 * @throws JobError when there is no such job
 */
export function addLog(state: QueueState, jobId: string, row: string, keepLogs: number | undefined): number {
  const job = state.jobs.get(jobId);
  if (job === undefined) {
    throw missingJob(jobId, "addLog");
  }
  job.logs.push(row);
  if (keepLogs !== undefined && keepLogs > 0) {
    clearLogs(state, jobId, keepLogs);
  }
  return job.logs.length;
}

/** Drops a job's log, but for its last `keepLogs` lines. */
export function clearLogs(state: QueueState, jobId: string, keepLogs: number): void {
  const logs = state.jobs.get(jobId)?.logs ?? [];
  logs.splice(0, Math.max(0, logs.length - keepLogs));
}
