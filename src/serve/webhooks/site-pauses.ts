/** When a webhook run of each site may be started again: after a failure, and where a run could not decide everything, the pause grows. */
import { doubledMs } from "../../time/backoff.ts";
import type { Clock } from "../../time/clock.ts";
import { nextMidnight } from "../../time/period.ts";
import { createFailureStreak, type FailureStreak } from "../log/failure-streak.ts";
import type { ServiceLog } from "../log/service-log.ts";

const MIN_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 300_000;

export interface SitePauses {
  /** Nothing of the site is started before, epoch ms. */
  readonly until: (host: string) => number;
  pause(host: string, ms: number): void;
  /** The next day has new budgets, and a run of its own. */
  pauseToMidnight(host: string): void;
  /** @param message what happened, behind `the webhook run of HOST` */
  fail(host: string, message: string): void;
  succeed(host: string): void;
}

export function createSitePauses({ clock, log }: { readonly clock: Clock; readonly log: ServiceLog }): SitePauses {
  const ends = new Map<string, { readonly setAt: number; readonly until: number }>();
  const streaks = new Map<string, FailureStreak>();
  const pause = (host: string, ms: number) => {
    const setAt = clock.now();
    ends.set(host, { setAt, until: Math.min(setAt + ms, nextMidnight(setAt)) });
  };

  return {
    until: (host) => {
      const end = ends.get(host);
      // The clock was ahead when the pause was set: nobody knows how much of it is left.
      return end === undefined || end.setAt > clock.now() ? 0 : end.until;
    },
    pause,
    pauseToMidnight: (host) => {
      const setAt = clock.now();
      ends.set(host, { setAt, until: nextMidnight(setAt) });
    },
    fail: (host, message) => {
      const streak = streaks.get(host) ?? createFailureStreak(log);
      streaks.set(host, streak);
      const failures = streak.fail(`the webhook run of ${host} ${message}; its notifications wait`, { host });
      pause(host, doubledMs(failures, MIN_PAUSE_MS, MAX_PAUSE_MS));
    },
    succeed: (host) => {
      streaks.get(host)?.succeed(`the webhook run of ${host} succeeds again`, { host });
      streaks.delete(host);
      ends.delete(host);
    },
  };
}
