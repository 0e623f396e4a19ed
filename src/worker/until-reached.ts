import { isLicetError } from "../errors.ts";
import { backoffMs } from "../time/backoff.ts";
import type { WorkerOptions } from "./worker-options.ts";

const RETRY_MS = 200;
const MAX_RETRY_MS = 5_000;

/** How long a worker waits after so many calls without an answer in a row, ms. */
export function retryPauseMs(failures: number, random: () => number): number {
  return backoffMs(failures, RETRY_MS, MAX_RETRY_MS, random);
}

export interface Reaching extends Pick<WorkerOptions, "clock" | "random" | "log" | "stop"> {
  /** What is reached, such as `the queue`. */
  readonly what: string;
  readonly isOver: () => boolean;
}

/**
 * Repeats a call until it succeeds. Says once that it waits, and when it is over.
 * @returns null when the worker is over meanwhile
 * @throws LicetError what a retry cannot mend
 */
export async function untilReached<Result>(
  { clock, random, log, stop, what, isOver }: Reaching,
  call: () => Promise<Result>,
): Promise<Result | null> {
  for (let attempt = 1; !isOver(); attempt += 1) {
    try {
      const result = await call();
      if (attempt > 1) {
        log.info(`${what} answers`);
      }
      return result;
    } catch (error) {
      if (!isLicetError(error) || error.retry === "never") {
        throw error;
      }
      if (attempt === 1) {
        const hint = error.hint === undefined ? "" : `${error.hint} `;
        log.warn(`${error.message}. ${hint}The worker waits for it, and tries again by itself`);
      }
      // Told to stop, a worker that is not over still pauses between its calls.
      const wakes = stop.aborted ? undefined : stop;
      await clock.sleep(retryPauseMs(attempt, random), wakes);
    }
  }
  return null;
}
