import type { JobsOptions, RepeatableOptions } from "bullmq";
import { ChildlessBackend } from "./childless-backend.ts";
import { toPlace } from "./inspect-jobs.ts";
import * as schedulers from "./job-schedulers.ts";
import { removeMeta, setMeta, setPaused } from "./queue-meta.ts";
import { cleanJobs, drainJobs, obliterate } from "./remove-jobs.ts";

/** The operations on a queue as a whole: pausing and emptying it, its job schedulers, what is kept about it, its events. */
export abstract class QueueWideBackend extends ChildlessBackend {
  readonly pause = async (isPaused: boolean) => this.answer(setPaused(this.state, isPaused));
  readonly drain = async (isDelayedToo: boolean) => this.answer(drainJobs(this.state, isDelayedToo));

  async cleanJobsByState(type: string, until: number, limit = 0): Promise<string[]> {
    const place = toPlace(type);
    return this.answer(place === null ? [] : cleanJobs(this.state, place, { until, limit }));
  }

  readonly obliterate = async (options: { force: boolean; count: number }) =>
    this.answer(obliterate(this.state, options));
  readonly isMaxed = async () => this.answer(this.state.isMaxed());

  async addJobScheduler(
    id: string,
    nextAt: number,
    templateDataJson: string,
    templateOpts: JobsOptions,
    repeat: RepeatableOptions,
    jobOpts: JobsOptions,
  ): Promise<[string, number]> {
    const added = { id, nextAt, templateDataJson, templateOpts, repeat, jobOpts };
    return this.answer(schedulers.addJobScheduler(this.state, added));
  }

  readonly updateJobSchedulerNextMillis = async (
    id: string,
    nextAt: number,
    _templateDataJson: string,
    jobOpts: JobsOptions,
    producerId?: string,
  ) => this.answer(schedulers.advanceJobScheduler(this.state, { id, nextAt, jobOpts, producerId }));
  readonly removeJobScheduler = async (id: string) => this.answer(schedulers.removeJobScheduler(this.state, id));
  readonly getJobScheduler = async (id: string) => this.answer(schedulers.readJobScheduler(this.state, id));
  readonly getJobSchedulerData = async (id: string) =>
    this.answer(Object.fromEntries(this.state.schedulers.get(id)?.fields ?? []));
  readonly isJobScheduler = async (id: string) => this.answer(this.state.schedulers.has(id));
  readonly getJobSchedulersRange = async (start: number, end: number, asc: boolean) =>
    this.answer(schedulers.rangeOfSchedulers(this.state, { start, end, asc }));
  readonly getJobSchedulersCount = async () => this.answer(this.state.schedulers.size);
  readonly setQueueMeta = async (values: Record<string, string | number>) => this.answer(setMeta(this.state, values));
  readonly getQueueMetaField = async (field: string) => this.answer(this.state.meta.get(field) ?? null);
  readonly getQueueMetaFields = async (fields: string[]) =>
    this.answer(fields.map((field) => this.state.meta.get(field) ?? null));
  readonly getQueueMeta = async () => this.answer(Object.fromEntries(this.state.meta));
  readonly removeQueueMetaFields = async (fields: string[]) => this.answer(removeMeta(this.state, fields));
  readonly hasQueueMetaField = async (field: string) => this.answer(this.state.meta.has(field));
  readonly trimEvents = async (maxEvents: number) => this.answer(this.state.events.trim(maxEvents));
  readonly publishEvent = async ({ event, ...fields }: Record<string, string | number>) =>
    this.answer(this.state.events.append(String(event), fields));
}
