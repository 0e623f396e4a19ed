/**
 * A part of the service that does the same work again and again. The work never overlaps with itself: the pause begins when the work
 * has ended. An error does not end the task.
 */
import { describeError } from "../../errors.ts";
import type { Clock } from "../../time/clock.ts";
import { sleepLong } from "../../time/sleep-long.ts";
import { createFailureStreak } from "../log/failure-streak.ts";
import type { LogFields, ServiceLog } from "../log/service-log.ts";
import type { ServicePart } from "../service-part.ts";

export interface TimedTaskOptions {
  /** For the log: `the <name> failed`. */
  readonly name: string;
  /** The pause between two times, or what computes the next one. The first time comes at once after the start. */
  readonly everyMs: number | (() => number);
  /** @param signal aborts when the task stops: end soon then, and do not throw for it */
  readonly work: (signal: AbortSignal) => Promise<void>;
  /** The fields of its lines in the log. @default none */
  readonly about?: LogFields;
  readonly clock: Clock;
  readonly log: ServiceLog;
}

export interface TimedTask extends ServicePart {
  /** Ends the present pause, so that the work begins at once; while the work is under way, it begins once more after it. */
  wake(): void;
}

export function createTimedTask({ name, everyMs, work, about = {}, clock, log }: TimedTaskOptions): TimedTask {
  const stopping = new AbortController();
  let pause = new AbortController();
  const streak = createFailureStreak(log);
  let loop: Promise<void> | null = null;

  const doWork = async (): Promise<void> => {
    try {
      await work(stopping.signal);
      streak.succeed(`the ${name} succeeds again`, about);
    } catch (error) {
      streak.fail(`the ${name} failed: ${describeError(error)}`, about);
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
