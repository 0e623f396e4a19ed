/** Resources with a queue of their own: two runs of one process must not empty or work on each other's queue. */
import type { Queue } from "../queue/queue.ts";
import type { Resources } from "./compose.ts";

export interface WithOwnQueue {
  readonly resources: Resources;
  /** Closes the queue and nothing else. Never throws. */
  close(): Promise<void>;
}

/** Shares everything but the queue, which is opened when the run first needs it. */
export function withOwnQueue(shared: Resources): WithOwnQueue {
  let queue: Promise<Queue> | null = null;
  let warn: (message: string) => void = () => {};
  return {
    resources: {
      ...shared,
      queue: (onWarning) => {
        warn = onWarning;
        queue ??= shared.openQueue((message) => warn(message));
        // A failed connection is tried again by the next call.
        queue.catch(() => {
          queue = null;
        });
        return queue;
      },
    },
    close: async () => {
      await (await queue?.catch(() => undefined))?.close();
    },
  };
}
