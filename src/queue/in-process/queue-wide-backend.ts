import type { JobsOptions, RepeatableOptions } from "bullmq";
import { ChildlessBackend } from "./childless-backend.ts";
import { toPlace } from "./inspect-jobs.ts";
import * as schedulers from "./job-schedulers.ts";
import { removeMeta, setMeta, setPaused } from "./queue-meta.ts";
import { cleanJobs, drainJobs, obliterate } from "./remove-jobs.ts";

/** The operations on a queue as a whole: pausing and emptying it, its job schedulers, what is kept about it, its events. */
export abstract class QueueWideBackend extends ChildlessBackend {
  async pause(isPaused: boolean): Promise<void> {
    return this.answer(setPaused(this.state, isPaused));
  }

  async drain(isDelayedToo: boolean): Promise<void> {
    return this.answer(drainJobs(this.state, isDelayedToo));
  }

  async cleanJobsByState(type: string, until: number, limit = 0): Promise<string[]> {
    const place = toPlace(type);
    return this.answer(place === null ? [] : cleanJobs(this.state, place, { until, limit }));
  }

  async obliterate(options: { force: boolean; count: number }): Promise<number> {
    return this.answer(obliterate(this.state, options));
  }

  async isMaxed(): Promise<boolean> {
    return this.answer(this.state.isMaxed());
  }

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

  async updateJobSchedulerNextMillis(
    id: string,
    nextAt: number,
    _templateDataJson: string,
    jobOpts: JobsOptions,
    producerId?: string,
  ): Promise<string | null> {
    return this.answer(schedulers.advanceJobScheduler(this.state, { id, nextAt, jobOpts, producerId }));
  }

  async removeJobScheduler(id: string): Promise<number> {
    return this.answer(schedulers.removeJobScheduler(this.state, id));
  }

  async getJobScheduler(id: string): Promise<[string[] | null, string | null]> {
    return this.answer(schedulers.readJobScheduler(this.state, id));
  }

  async getJobSchedulerData(id: string): Promise<Record<string, string>> {
    return this.answer(Object.fromEntries(this.state.schedulers.get(id)?.fields ?? []));
  }

  async isJobScheduler(id: string): Promise<boolean> {
    return this.answer(this.state.schedulers.has(id));
  }

  async getJobSchedulersRange(start: number, end: number, asc: boolean): Promise<string[]> {
    return this.answer(schedulers.rangeOfSchedulers(this.state, { start, end, asc }));
  }

  async getJobSchedulersCount(): Promise<number> {
    return this.answer(this.state.schedulers.size);
  }

  async setQueueMeta(values: Record<string, string | number>): Promise<number> {
    return this.answer(setMeta(this.state, values));
  }

  async getQueueMetaField(field: string): Promise<string | null> {
    return this.answer(this.state.meta.get(field) ?? null);
  }

  async getQueueMetaFields(fields: string[]): Promise<(string | null)[]> {
    return this.answer(fields.map((field) => this.state.meta.get(field) ?? null));
  }

  async getQueueMeta(): Promise<Record<string, string>> {
    return this.answer(Object.fromEntries(this.state.meta));
  }

  async removeQueueMetaFields(fields: string[]): Promise<number> {
    return this.answer(removeMeta(this.state, fields));
  }

  async hasQueueMetaField(field: string): Promise<boolean> {
    return this.answer(this.state.meta.has(field));
  }

  async trimEvents(maxEvents: number): Promise<number> {
    return this.answer(this.state.events.trim(maxEvents));
  }

  async publishEvent({ event, ...fields }: Record<string, string | number>): Promise<string> {
    return this.answer(this.state.events.append(String(event), fields));
  }
}
