/** The port of the schedule queue over BullMQ's job schedulers, on each transport. */
import type { Queue as BullQueue, Worker as BullWorker } from "bullmq";
import { z } from "zod";
import { isLicetError } from "../errors.ts";
import { isConnectionError } from "./connection-error.ts";
import { withDeadline } from "./deadline.ts";
import { openTransport } from "./open-transport.ts";
import { DEFAULT_QUEUE_PREFIX, schedulerIdOf, schedulesName } from "./queue-names.ts";
import { unreachable } from "./redis-client.ts";
import type { QueuedSchedule, ScheduleQueue, ScheduleQueueEvents, Timing } from "./schedule-queue.ts";
import type { QueueTransport, WorkerTransport } from "./transport.ts";

export interface OpenScheduleQueueOptions extends ScheduleQueueEvents {
  /** As `parseQueueUrl` reads it. */
  readonly url: string;
  /** Separates this ledger's queue from others on the same server. @default "default" */
  readonly prefix?: string;
}

/** The time limit of one command. */
const CALL_TIMEOUT_MS = 8_000;
/** How long closing waits for the server. */
const CLOSE_TIMEOUT_MS = 2_000;
/** Schedulers that are set at once. */
const UPSERTS_AT_ONCE = 20;
/** Wake-ups that are handled at once: each is one look at the ledger. */
const WAKE_UPS_AT_ONCE = 4;
/** A service that dies at a wake-up leaves it to the next one. */
const LOCK_MS = 30_000;
const IDLE_WAIT_SECONDS = 10;
/** The pause after a failed fetch, so that a restarted server is noticed soon. */
const FETCH_RETRY_MS = 1_000;
/** BullMQ writes events that licet does not read. It must keep some. */
const MAX_EVENTS = 100;
/** Schedules that one configuration can have: more schedulers of one queue are not licet's. */
const MAX_SCHEDULERS = 100_000;
const MAX_NAME_CHARS = 300;

/** The data of a job: the name of its schedule and nothing else. */
const jobSchema = z.object({ schedule: z.string().min(1).max(MAX_NAME_CHARS) });

/**
 * Opens the queue and begins to wake.
 * @throws LicetError CONFIG_INVALID for an unknown kind of URL, QUEUE_UNREACHABLE within seconds
 */
export async function openScheduleQueue(options: OpenScheduleQueueOptions): Promise<ScheduleQueue> {
  const { url, prefix = DEFAULT_QUEUE_PREFIX, ...events } = options;
  const transport = await openTransport({ url, onWarning: events.onConnection ?? events.onWarning });
  const name = schedulesName(prefix);
  const queue = transport.createQueue(name, { streams: { events: { maxLen: MAX_EVENTS } } });
  // The transport reports outages once. An "error" event without a listener would end the process.
  queue.on("error", () => {});
  const workers = transport.createWorkerTransport();
  const worker = createWakeWorker(workers, name, events);
  const opened = new BullmqScheduleQueue({ transport, queue, workers, worker });
  try {
    await opened.open(events.onWarning);
  } catch (error) {
    await opened.close();
    throw error;
  }
  return opened;
}

function createWakeWorker(workers: WorkerTransport, name: string, events: ScheduleQueueEvents): BullWorker {
  const worker = workers.createWorker(
    name,
    async (job) => {
      const { success, data } = jobSchema.safeParse(job.data);
      if (!success) {
        events.onWarning("a job in the queue of schedules does not name a schedule: dropped");
        return;
      }
      // The watchdog finds what a failed wake-up left, so no job is ever tried again.
      await events.onDue(data.schedule).catch((error: unknown) => events.onWarning(String(error)));
    },
    {
      concurrency: WAKE_UPS_AT_ONCE,
      lockDuration: LOCK_MS,
      drainDelay: IDLE_WAIT_SECONDS,
      runRetryDelay: FETCH_RETRY_MS,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
      autorun: false,
    },
  );
  worker.on("error", (error) => {
    if (!isConnectionError(error)) {
      events.onWarning(`the queue of schedules: ${error.message}`);
    }
  });
  return worker;
}

interface OpenedParts {
  readonly transport: QueueTransport;
  readonly queue: BullQueue;
  readonly workers: WorkerTransport;
  readonly worker: BullWorker;
}

class BullmqScheduleQueue implements ScheduleQueue {
  readonly #parts: OpenedParts;

  constructor(parts: OpenedParts) {
    this.#parts = parts;
  }

  /** A worker runs only once its backend is ready: see startBullWorkers. */
  async open(onWarning: (warning: string) => void): Promise<void> {
    const { queue, worker, transport } = this.#parts;
    for (const problem of await this.#bounded(() => transport.findProblems())) {
      onWarning(problem);
    }
    await this.#bounded(() => Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]));
    worker.run().catch((error: Error) => onWarning(`the queue of schedules: ${error.message}`));
  }

  async setSchedules(schedules: readonly QueuedSchedule[]): Promise<void> {
    const { queue } = this.#parts;
    const wanted = new Map(schedules.map((schedule) => [schedulerIdOf(schedule.name), schedule]));
    const known = await this.#bounded(() => queue.getJobSchedulers(0, MAX_SCHEDULERS - 1));
    const knownIds = known.flatMap(({ key }) => (typeof key === "string" ? [key] : []));
    await this.#each(
      knownIds.filter((id) => !wanted.has(id)),
      (id) => queue.removeJobScheduler(id),
    );
    await this.#each([...wanted], ([id, { name, timing }]) =>
      queue.upsertJobScheduler(id, toRepeat(timing), {
        name: "slot",
        data: { schedule: name },
        opts: { attempts: 1, removeOnComplete: true, removeOnFail: true },
      }),
    );
  }

  countSchedules(): Promise<number> {
    return this.#bounded(() => this.#parts.queue.getJobSchedulersCount());
  }

  async close(): Promise<void> {
    const { transport, queue, workers, worker } = this.#parts;
    await withDeadline(CLOSE_TIMEOUT_MS, worker.close()).catch(() => {});
    await workers.disconnect();
    await withDeadline(CLOSE_TIMEOUT_MS, queue.close()).catch(() => {});
    await transport.close();
  }

  async #each<Item>(items: readonly Item[], call: (item: Item) => Promise<unknown>): Promise<void> {
    for (let from = 0; from < items.length; from += UPSERTS_AT_ONCE) {
      await this.#bounded(() => Promise.all(items.slice(from, from + UPSERTS_AT_ONCE).map(call)));
    }
  }

  /** @throws LicetError QUEUE_UNREACHABLE when the server does not answer in time, or answers with an error */
  async #bounded<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await withDeadline(CALL_TIMEOUT_MS, call());
    } catch (error) {
      throw isLicetError(error) ? error : unreachable(this.#parts.transport, error);
    }
  }
}

/** BullMQ counts an interval from its first job. The slots of the ledger are its multiples since 1970: so the first job is at one. */
function toRepeat(timing: Timing): { pattern: string; tz: string } | { every: number; startDate: number } {
  if (timing.kind === "cron") {
    return { pattern: timing.cron, tz: timing.timeZone };
  }
  const { everyMs } = timing;
  return { every: everyMs, startDate: (Math.floor(Date.now() / everyMs) + 1) * everyMs };
}
