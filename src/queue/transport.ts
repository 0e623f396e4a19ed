import type { Queue as BullQueue, Worker as BullWorker, Processor, QueueOptions, WorkerOptions } from "bullmq";
import type { QueueHealth } from "./queue.ts";
import type { NamedQueue } from "./redis-problem.ts";

/** Options of a BullMQ queue or worker without the connection, which the transport supplies. */
export type StageQueueOptions = Omit<QueueOptions, "connection">;
export type StageWorkerOptions = Omit<WorkerOptions, "connection">;

/**
 * The differences between Redis and the embedded queue: how to connect, and how to close when the server is gone.
 * Everything else (stages, ids, outcomes, retention) is the same for both and is in bullmq-queue.ts.
 */
export interface QueueTransport extends NamedQueue {
  readonly kind: QueueHealth["kind"];
  /** What the server says that it is, such as `Valkey 8.1.1, a Cluster`. Null: there is no server. */
  readonly server: string | null;
  createQueue(name: string, options: StageQueueOptions): BullQueue;
  /** Connections for the workers of this process, separate from those that add jobs. */
  createWorkerTransport(): WorkerTransport;
  /** Resolves when the server answers. */
  ping(): Promise<void>;
  /** One sentence for each problem. */
  findProblems(): Promise<readonly string[]>;
  /** Closes what the transport opened. Never hangs and never throws, whatever the state of the server. */
  close(): Promise<void>;
}

export interface WorkerTransport {
  createWorker(name: string, processor: Processor, options: StageWorkerOptions): BullWorker;
  /** Closes the connections, which ends every command that still waits for an answer. */
  disconnect(): Promise<void>;
}

export interface TransportEvents {
  /** A sentence for the log: connection lost, connection restored, a server that evicts. */
  readonly onWarning: (warning: string) => void;
}
