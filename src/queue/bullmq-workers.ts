import { type Worker as BullWorker, DelayedError, type Job } from "bullmq";
import { LicetError } from "../errors.ts";
import { isConnectionError } from "./connection-error.ts";
import { withDeadline } from "./deadline.ts";
import { parseJobData } from "./job-data.ts";
import {
  type JobProcessor,
  type LeaseJob,
  type QueueWorkers,
  STAGES,
  type Stage,
  type WorkerOptions,
} from "./queue.ts";
import type { WorkerTransport } from "./transport.ts";

interface BullWorkerOptions extends WorkerOptions {
  readonly nameOf: (stage: Stage) => string;
  readonly keep: { readonly age: number; readonly count: number };
  /** What is wrong with the queue, in words of licet. */
  readonly explain: (error: unknown) => LicetError;
}

/** A worker renews its lock on a job after half of this time. The job of a dead process becomes free after all of it. */
const LOCK_MS = 30_000;
/** How often jobs of dead processes are searched for. */
const STALLED_INTERVAL_MS = 30_000;
/** How long a worker waits on an empty queue in one command. A new job ends the wait at once. */
const IDLE_WAIT_SECONDS = 10;
/** The pause after a failed fetch. BullMQ's default of 15 s is long for a server that only restarted. */
const FETCH_RETRY_MS = 1_000;
/** The longest time that the server may take before workers can start. */
const READY_TIMEOUT_MS = 8_000;
/** How long a close waits for the server after the last job has ended, before it closes the connections. */
const CLOSE_GRACE_MS = 5_000;
/** BullMQ's codes for a job that no longer exists and for a job that another worker has. They occur when the queue is emptied. */
const GONE_CODES: readonly unknown[] = [-1, -2, -6];

/** Those of the stages that a process works on. */
export type Processors = Readonly<Partial<Record<Stage, JobProcessor>>>;

/** The workers of this process, one for each stage, and their jobs in flight. */
interface WorkersState {
  readonly jobsUnderWay: Set<Promise<unknown>>;
  readonly abort: AbortController;
  /** Of the stages that are taken: aborts when one is taken no more. */
  readonly taken: Map<Stage, AbortController>;
  isClosing: boolean;
}

/**
 * Starts one BullMQ worker for each stage that has a processor. Only this function decides a job's outcome. `done`, `dropped`, `thrown` and `garbage`
 * complete the job, and the ledger leases the batch again if needed. A job can therefore never be retried in a
 * loop, and no error message, which may name a page, is written to Redis.
 *
 * A worker runs only once its backend is ready, so that a server that is gone is an error of the start.
 * @throws LicetError QUEUE_UNREACHABLE
 */
export async function startBullWorkers(
  transport: WorkerTransport,
  processors: Processors,
  options: BullWorkerOptions,
): Promise<QueueWorkers> {
  const stages = STAGES.filter((stage) => processors[stage] !== undefined);
  const taken = new Map(stages.map((stage) => [stage, new AbortController()]));
  const state: WorkersState = { jobsUnderWay: new Set(), abort: new AbortController(), taken, isClosing: false };
  const workers = stages.map((stage) => {
    const worker = transport.createWorker(
      options.nameOf(stage),
      (job, token) => handleJob({ job, token, stage, process: processors[stage] as JobProcessor, state, options }),
      {
        concurrency: options.concurrency[stage],
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_INTERVAL_MS,
        drainDelay: IDLE_WAIT_SECONDS,
        runRetryDelay: FETCH_RETRY_MS,
        removeOnComplete: options.keep,
        removeOnFail: options.keep,
        autorun: false,
      },
    );
    worker.on("error", (error) => reportWorkerError(error, options));
    return worker;
  });
  try {
    await withDeadline(READY_TIMEOUT_MS, Promise.all(workers.map((worker) => worker.waitUntilReady())));
  } catch (error) {
    await closeWorkers(transport, workers, state);
    throw options.explain(error);
  }
  for (const worker of workers) {
    worker.run().catch((error: Error) => reportWorkerError(error, options));
  }
  let closed: Promise<void> | undefined;
  return {
    close: (closeOptions = {}) => {
      if (closeOptions.force === true) {
        state.abort.abort();
      }
      closed ??= closeWorkers(transport, workers, state);
      return closed;
    },
    setConcurrency: (concurrency) => {
      for (const [index, worker] of workers.entries()) {
        worker.concurrency = concurrency[stages[index] as Stage];
      }
    },
    takeOnly: (wanted) => {
      for (const [index, worker] of workers.entries()) {
        const stage = stages[index] as Stage;
        const isTaken = wanted.includes(stage);
        if (isTaken && !taken.has(stage)) {
          taken.set(stage, new AbortController());
          worker.resume();
        } else if (!isTaken && taken.has(stage)) {
          taken.get(stage)?.abort();
          taken.delete(stage);
          // What is under way is not waited for here.
          worker.pause(true).catch((error: Error) => reportWorkerError(error, options));
        }
      }
    },
  };
}

interface JobToHandle {
  readonly job: Job;
  readonly token: string | undefined;
  readonly stage: Stage;
  readonly process: JobProcessor;
  readonly state: WorkersState;
  readonly options: BullWorkerOptions;
}

/** The result that is stored with the job, for people who inspect the queue. */
type JobResult = "done" | "dropped" | "thrown" | "garbage";

async function handleJob({ job, token, stage, process, state, options }: JobToHandle): Promise<JobResult> {
  const ofStage = state.taken.get(stage);
  if (state.isClosing || ofStage === undefined) {
    // The job was fetched just before the close, or by a worker that waited for one when it was paused. It is returned at once, for another process.
    return returnJob(job, token);
  }
  const leaseJob = parseJobData(stage, job.data);
  if (leaseJob === null) {
    options.onError(strayJob(`a job in the ${stage} queue contains no lease id: dropped`), null);
    return "garbage";
  }
  const signal = AbortSignal.any([state.abort.signal, ofStage.signal]);
  const running = runProcessor(leaseJob, process, signal, options);
  state.jobsUnderWay.add(running);
  return await running.finally(() => state.jobsUnderWay.delete(running));
}

async function runProcessor(
  job: LeaseJob,
  process: JobProcessor,
  signal: AbortSignal,
  options: BullWorkerOptions,
): Promise<JobResult> {
  try {
    return (await process(job, signal)) === "done" ? "done" : "dropped";
  } catch (error) {
    options.onError(error, job);
    return "thrown";
  }
}

/** Gives the job back. A BullMQ processor must throw to say that it has already moved the job. */
async function returnJob(job: Job, token: string | undefined): Promise<never> {
  try {
    await job.moveToDelayed(Date.now(), token);
  } catch (error) {
    if (!isGone(error)) {
      throw error;
    }
  }
  throw new DelayedError();
}

function reportWorkerError(error: Error, options: BullWorkerOptions): void {
  // A queue that is emptied meanwhile is not an error, because the ledger leases its batches again. The transport reports
  // outages.
  if (!isGone(error) && !isConnectionError(error)) {
    options.onError(toQueueError(error, options), null);
  }
}

function toQueueError(error: Error, { explain }: BullWorkerOptions): Error {
  // BullMQ reads the fields of a job before licet does.
  if (error instanceof SyntaxError) {
    return strayJob(`a job in a queue cannot be read: ${error.message}`, error);
  }
  // A server may refuse a command of a worker and nothing before, such as one whose memory has become full.
  return error.name === "ReplyError" ? explain(error) : error;
}

/** A job that is not from licet has no effect except this error, because the ledger knows the work to do. */
function strayJob(message: string, cause?: unknown): LicetError {
  return new LicetError("INPUT_INVALID", message, { hint: "Give licet its own Redis database.", cause });
}

function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && GONE_CODES.includes(error.code);
}

/** Waits for the jobs in flight, as long as they take, but not for a server that is gone. */
async function closeWorkers(
  transport: WorkerTransport,
  workers: readonly BullWorker[],
  state: WorkersState,
): Promise<void> {
  state.isClosing = true;
  const closing = Promise.allSettled(workers.map((worker) => worker.close()));
  while (state.jobsUnderWay.size > 0) {
    await Promise.allSettled(state.jobsUnderWay);
  }
  try {
    await withDeadline(CLOSE_GRACE_MS, closing);
  } catch {
    // The server does not answer. Its locks on our jobs expire without help.
  }
  await transport.disconnect();
}
