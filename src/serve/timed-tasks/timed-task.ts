/**
 * A part of the service that does the same work again and again. The work never overlaps with itself: the pause begins when the work
 * has ended. An error does not end the task. The log has one line for the first of several failures, and one when the work succeeds
 * again, so that an outage of a day is not a day of lines.
 */
import type { Clock } from "../../time/clock.ts";
import type { ServiceLog } from "../log/service-log.ts";
import type { ServicePart } from "../service-part.ts";

/** Node's timers hold 31 bits of milliseconds, some 24 days. A longer pause has several sleeps. */
const MAX_SLEEP_MS = 86_400_000;

export interface TimedTaskOptions {
  /** For the log: `the <name> failed`. */
  readonly name: string;
  /** The pause between two times, or what computes the next one. The first time comes at once after the start. */
  readonly everyMs: number | (() => number);
  /** @param signal aborts when the task stops: end soon then, and do not throw for it */
  readonly work: (signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly log: ServiceLog;
}

export interface TimedTask extends ServicePart {
  /** Ends the present pause, so that the work begins at once; while the work is under way, it begins once more after it. */
  wake(): void;
}

export function createTimedTask({ name, everyMs, work, clock, log }: TimedTaskOptions): TimedTask {
  const stopping = new AbortController();
  let pause = new AbortController();
  let failures = 0;
  let loop: Promise<void> | null = null;

  const doWork = async (): Promise<void> => {
    try {
      await work(stopping.signal);
      if (failures > 0) {
        log.info(`the ${name} succeeds again`, { failures });
      }
      failures = 0;
    } catch (error) {
      failures += 1;
      const message = `the ${name} failed: ${error instanceof Error ? error.message : String(error)}`;
      log[failures === 1 ? "warn" : "debug"](message, { failures });
    }
  };
  const repeat = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      pause = new AbortController();
      await doWork();
      const pauseMs = typeof everyMs === "number" ? everyMs : everyMs();
      await sleepLong(clock, pauseMs, AbortSignal.any([stopping.signal, pause.signal]));
    }
  };

  return {
    name,
    start: async () => {
      loop ??= repeat();
    },
    wake: () => pause.abort(),
    stop: async () => {
      stopping.abort();
      await loop;
    },
  };
}

async function sleepLong(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  for (let left = ms; left > 0 && !signal.aborted; left -= MAX_SLEEP_MS) {
    await clock.sleep(Math.min(left, MAX_SLEEP_MS), signal);
  }
}
