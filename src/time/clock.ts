/** The source of time. It is injected everywhere, so that a test or a simulation controls it. */
export interface Clock {
  /** The current time, in epoch ms. */
  now(): number;
  /** Waits. Resolves after `ms` (0: in the next turn of the event loop), or at once when the signal aborts. It never rejects, so the caller must check the signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * A time in ms that nobody sets: durations are measured with it. Its beginning means nothing.
   * @default now
   */
  elapsed?(): number;
}

/** The time that durations are measured with. */
export function elapsedMs(clock: Pick<Clock, "now" | "elapsed">): number {
  return clock.elapsed === undefined ? clock.now() : clock.elapsed();
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) {
        resolve();
        return;
      }
      if (ms === 0) {
        setImmediate(resolve);
        return;
      }
      if (signal === undefined) {
        setTimeout(resolve, ms);
        return;
      }
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", finish);
        resolve();
      };
      const timer = setTimeout(finish, ms);
      signal.addEventListener("abort", finish, { once: true });
    }),
};
