import type { SharedQueues } from "../queue/shared-queue.ts";
import type { Clock } from "../time/clock.ts";
import type { ServiceClient } from "./service-client.ts";
import type { WorkerTools } from "./worker-deps.ts";
import type { Hello, Welcome } from "./worker-port.ts";

/** What a worker is made of. */
export interface WorkerOptions extends Hello {
  readonly client: ServiceClient;
  readonly queues: SharedQueues;
  readonly clock: Clock;
  readonly random: () => number;
  readonly tools: (welcome: Welcome, clock: Clock) => Promise<Pick<WorkerTools, "gateway" | "ids" | "converter">>;
  /** Concurrent jobs of each stage, where so many requests may be in flight. */
  readonly jobsAtOnce: (places: number) => Parameters<SharedQueues["startWorkers"]>[2]["concurrency"];
  readonly log: { info(message: string): void; warn(message: string): void };
  /** Leaves when no work is offered. */
  readonly isDrained: boolean;
  /** Begins nothing more when it aborts, and ends what has begun. */
  readonly stop: AbortSignal;
  /** Gives up what has begun when it aborts. */
  readonly end: AbortSignal;
}
