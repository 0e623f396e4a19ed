/** Why the work on a run stops before nothing is left to do: its user, its longest duration, another process, or a failure. The first reason counts. */
import type { ActedBy } from "../../act/act.ts";
import { messageOf } from "../../errors.ts";
import { stoppedBy } from "../../run/stopped-by.ts";
import type { Clock } from "../../time/clock.ts";
import { sleepLong } from "../../time/sleep-long.ts";

export interface Stop {
  readonly state: "interrupted" | "failed" | "max_duration";
  readonly reason: string;
  readonly endedBy: "itself" | "person" | "service";
  /** The person who stopped it. Null: nobody did, or a service. */
  readonly who: ActedBy | null;
  readonly error: unknown;
}

export interface Stopper {
  /** Aborts when the run is stopped. */
  readonly signal: AbortSignal;
  stop(stop: Stop): void;
  stopped(): Stop | null;
  /** Another process has ended the run, or works on it. This end is not recorded. */
  stopTaken(): void;
  /** Ends the watch of the deadline and of the user's signal, which may exist longer than the run. */
  detach(): void;
}

/** @param run.ending aborts when the user stops the run, or when another process works on it. @param run.deadlineAt epoch ms; null: no limit */
export function createStopper(
  clock: Clock,
  run: { readonly user: AbortSignal; readonly ending: AbortSignal; readonly deadlineAt: number | null },
): Stopper {
  const { user, ending, deadlineAt } = run;
  const controller = new AbortController();
  const detached = new AbortController();
  let first: Stop | null = null;
  const stop = (reason: Stop) => {
    first ??= reason;
    controller.abort();
  };
  const stopTaken = () => stop(stopOf("interrupted", "another process ended the run or took it over"));
  const interrupt = () =>
    user.aborted ? stop({ ...stopOf("interrupted", "it was interrupted"), ...stoppedBy(user) }) : stopTaken();
  if (ending.aborted) {
    interrupt();
  }
  ending.addEventListener("abort", interrupt, { once: true, signal: detached.signal });
  if (deadlineAt !== null) {
    void sleepUntil(clock, deadlineAt, detached.signal).then((isReached) => {
      if (isReached) {
        stop(stopOf("max_duration", "the run reached its longest duration"));
      }
    });
  }
  return {
    signal: controller.signal,
    stop,
    stopped: () => first,
    stopTaken,
    detach: () => detached.abort(),
  };
}

function stopOf(state: Stop["state"], reason: string): Stop {
  return { state, reason, endedBy: "itself", who: null, error: null };
}

export function toFailure(error: unknown): Stop {
  return { ...stopOf("failed", messageOf(error)), error };
}

/** @returns false when the signal aborted before */
async function sleepUntil(clock: Clock, at: number, signal: AbortSignal): Promise<boolean> {
  // The clock may have been set back meanwhile.
  for (let leftMs = at - clock.now(); leftMs > 0; leftMs = at - clock.now()) {
    await sleepLong(clock, leftMs, signal);
    if (signal.aborted) {
      return false;
    }
  }
  return true;
}
