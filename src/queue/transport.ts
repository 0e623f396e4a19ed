import type { Queue as BullQueue, Worker as BullWorker, Processor, QueueOptions, WorkerOptions } from "bullmq";
import type { QueueHealth } from "./queue.ts";

/** Options of a BullMQ queue or worker, without where it connects to: that is the transport's part. */
export type StageQueueOptions = Omit<QueueOptions, "connection">;
export type StageWorkerOptions = Omit<WorkerOptions, "connection">;

/**
 * What differs between Redis, PostgreSQL and the embedded database: how to connect, and how to let go when the other end
 * is gone. Everything else (stages, ids, outcomes, retention) is the same for all and lives in bullmq-queue.ts.
 */
export interface QueueTransport {
  readonly kind: QueueHealth["kind"];
  /** For messages: where the queue is, without credentials. */
  readonly place: string;
  createQueue(name: string, options: StageQueueOptions): BullQueue;
  /** Connections for the workers of this process, apart from those that add jobs. */
  createWorkerTransport(): WorkerTransport;
  /** A sentence for each thing that is wrong. */
  findProblems(): Promise<readonly string[]>;
  /** Closes what it opened. Never hangs and never throws, whatever became of the other end. */
  close(): Promise<void>;
}

export interface WorkerTransport {
  createWorker(name: string, processor: Processor, options: StageWorkerOptions): BullWorker;
  /** Cuts the connections, which ends every command that still waits for an answer. */
  disconnect(): Promise<void>;
}

export interface TransportEvents {
  /** A sentence for the log: connection lost, connection back, a server that evicts. */
  readonly onWarning: (warning: string) => void;
}
