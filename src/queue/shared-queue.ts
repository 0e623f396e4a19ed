/** The queues of a service, for a worker on another machine: it works on those that it is told of, and adds nothing. */
import { LicetError } from "../errors.ts";
import { type Processors, startBullWorkers } from "./bullmq-workers.ts";
import { withDeadline } from "./deadline.ts";
import { openTransport } from "./open-transport.ts";
import type { QueuePlace, QueueWorkers, WorkerOptions } from "./queue.ts";
import { ownersName, queueName } from "./queue-names.ts";
import { QUEUE_OF_WORKER } from "./queue-setting.ts";
import { unreachable } from "./redis-client.ts";

export interface SharedQueues {
  /** Whether a service that is at work has this queue on this server. @throws LicetError QUEUE_UNREACHABLE */
  has(place: QueuePlace): Promise<boolean>;
  /** Resolves when the server answers. @throws LicetError QUEUE_UNREACHABLE */
  ping(): Promise<void>;
  /** @throws LicetError QUEUE_UNREACHABLE */
  startWorkers(place: QueuePlace, processors: Processors, options: WorkerOptions): Promise<QueueWorkers>;
  /** Closes what was opened. Never throws. */
  close(): Promise<void>;
}

const CALL_TIMEOUT_MS = 8_000;
/** What stays of a finished job is the service's to say, and it keeps little: a worker keeps as much. */
const KEEP = { age: 3_600, count: 1_000 };

/** @throws LicetError USAGE_INVALID, QUEUE_UNREACHABLE; QUEUE_NOT_SHARED for the embedded queue */
export async function openSharedQueues(options: {
  readonly url: string;
  readonly onWarning: (warning: string) => void;
}): Promise<SharedQueues> {
  if (options.url === "embedded") {
    throw new LicetError(
      "QUEUE_NOT_SHARED",
      "the embedded queue is in the memory of the service: no other machine reaches it",
      {
        hint: "Give the service and its workers one Redis: queue.url in the configuration of the service, and --queue here.",
      },
    );
  }
  const transport = await openTransport({ ...options, setting: QUEUE_OF_WORKER });
  const started = new Set<QueueWorkers>();
  const bounded = async <Result>(call: Promise<Result>): Promise<Result> => {
    try {
      return await withDeadline(CALL_TIMEOUT_MS, call);
    } catch (error) {
      throw unreachable(transport, error);
    }
  };
  return {
    has: async ({ prefix, owner }) => {
      const owners = transport.createQueue(ownersName(prefix), { skipMetasUpdate: true });
      owners.on("error", () => {});
      try {
        return (await bounded(owners.getJob(owner))) !== undefined;
      } finally {
        await owners.close().catch(() => {});
      }
    },
    ping: () => bounded(transport.ping()),
    startWorkers: async ({ prefix, owner }, processors, workerOptions) => {
      const workers = await startBullWorkers(transport.createWorkerTransport(), processors, {
        ...workerOptions,
        nameOf: (stage) => queueName(prefix, owner, stage),
        keep: KEEP,
        explain: (error) => unreachable(transport, error),
      });
      started.add(workers);
      return {
        ...workers,
        close: async (closing) => {
          await workers.close(closing);
          started.delete(workers);
        },
      };
    },
    close: async () => {
      await Promise.allSettled([...started].map((workers) => workers.close()));
      await transport.close();
    },
  };
}
