/**
 * BullMQ's own classes over one backend, for cases that hold on every backend. Everything that a case opens is closed after it, and
 * each case has a queue of its own.
 */
import { randomUUID } from "node:crypto";
import type { EventEmitter } from "node:events";
import {
  createRedisBackend,
  type Job,
  type JobsOptions,
  type Processor,
  type Queue,
  type QueueEvents,
  type QueueEventsProducer,
  type QueueOptions,
  type Worker,
  type WorkerOptions,
  withBackend,
} from "bullmq";
import { onTestFinished } from "vitest";
import { InProcessStore } from "../../../src/queue/in-process/in-process-store.ts";
import { createInProcessBackend } from "../../../src/queue/in-process-backend.ts";

/** A backend, and what its classes are given to reach it. */
export interface BullmqBackend {
  readonly classes: ReturnType<typeof withBackend>;
  readonly connection: () => unknown;
}

export function inProcessBackend(): BullmqBackend {
  const store = new InProcessStore();
  // BullMQ's types name the backend, which no case looks at.
  return { classes: withBackend(createInProcessBackend) as never, connection: () => store };
}

export function redisBackend(url: () => string): BullmqBackend {
  const connection = () => ({ path: new URL(url()).pathname, maxRetriesPerRequest: null });
  return { classes: withBackend(createRedisBackend) as never, connection };
}

export interface BullmqWorld {
  readonly queue: Queue;
  /** Another handle on the same queue. */
  openQueue(options?: Partial<QueueOptions>): Queue;
  /** With null instead of a processor, jobs are taken by hand (`take`). */
  openWorker(processor: Processor | null, options?: Partial<WorkerOptions>): Worker;
  openEvents(options?: { lastEventId?: string }): Promise<QueueEvents>;
  openProducer(): QueueEventsProducer;
  /** Adds a job whose data is its name. */
  add(name: string, options?: JobsOptions): Promise<Job>;
  /** Closes all of it before the end of the test. */
  close(): Promise<void>;
}

export function openWorld({ classes, connection }: BullmqBackend): BullmqWorld {
  const name = `case-${randomUUID()}`;
  const base = () => ({ connection: connection() });
  const opened: { close(): Promise<unknown> }[] = [];
  const close = async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
  };
  onTestFinished(close);
  const closing = <T extends { close(): Promise<unknown>; on(event: "error", listener: () => void): unknown }>(
    one: T,
  ): T => {
    one.on("error", () => {});
    opened.push(one);
    return one;
  };
  const openQueue = (options: Partial<QueueOptions> = {}) =>
    closing(new classes.Queue(name, { ...options, ...base() })) as unknown as Queue;
  const queue = openQueue();
  return {
    queue,
    openQueue,
    openWorker: (processor, options = {}) =>
      closing(new classes.Worker(name, processor, { ...options, ...base() })) as unknown as Worker,
    openEvents: async (options = {}) => {
      const events = closing(new classes.QueueEvents(name, { ...options, ...base() }));
      await events.waitUntilReady();
      return events as unknown as QueueEvents;
    },
    openProducer: () => closing(new classes.QueueEventsProducer(name, base())) as unknown as QueueEventsProducer,
    add: (jobName, options = {}) => queue.add(jobName, { name: jobName }, options),
    close,
  };
}

export const TOKEN = "token";

/** The next job of the queue, taken by hand; null when none is ready. */
export async function take(worker: Worker, token = TOKEN): Promise<Job | null> {
  return ((await worker.getNextJob(token, { block: false })) as Job | undefined) ?? null;
}

/** As many jobs as are asked for, by their names. */
export async function takeNames(worker: Worker, count: number): Promise<string[]> {
  const names: string[] = [];
  for (let taken = 0; taken < count; taken++) {
    names.push((await take(worker))?.name ?? "nothing");
  }
  return names;
}

export async function complete(worker: Worker): Promise<Job> {
  const job = await takeExpected(worker);
  await job.moveToCompleted("result", TOKEN, false);
  return job;
}

export async function fail(worker: Worker, message = "reason"): Promise<Job> {
  const job = await takeExpected(worker);
  await job.moveToFailed(new Error(message), TOKEN, false);
  return job;
}

export async function takeExpected(worker: Worker): Promise<Job> {
  const job = await take(worker);
  if (job === null) {
    throw new Error("no job is ready");
  }
  return job;
}

export function namesOf(jobs: readonly Job[]): string[] {
  return jobs.map((job) => job.name);
}

/** The arguments of each emission of an event, once it has been emitted so often. */
export function untilEmitted(emitter: Pick<EventEmitter, "on">, event: string, times = 1): Promise<unknown[][]> {
  const calls: unknown[][] = [];
  return new Promise((resolve) => {
    emitter.on(event, (...args: unknown[]) => {
      calls.push(args);
      if (calls.length === times) {
        resolve(calls);
      }
    });
  });
}
