import type { Clock } from "./clock.ts";

/** Node's timers hold 31 bits of milliseconds, some 24 days, and fire a longer timer at once. A longer sleep has several. */
const MAX_SLEEP_MS = 86_400_000;

/** Sleeps for any time. Resolves at once when the signal aborts, and never rejects, as `Clock.sleep`. */
export async function sleepLong(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  for (let left = ms; left > 0 && !signal.aborted; left -= MAX_SLEEP_MS) {
    await clock.sleep(Math.min(left, MAX_SLEEP_MS), signal);
  }
}
