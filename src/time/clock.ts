/** Where time comes from. Injected everywhere, so that a test or a simulation owns it. */
export interface Clock {
  /** The current instant, in epoch ms. */
  now(): number;
  /**
   * Waits. Resolves after `ms`, or at once when the signal aborts (it never rejects: the caller looks at the signal).
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) {
        resolve();
        return;
      }
      const finish = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", finish);
        resolve();
      };
      const timer = setTimeout(finish, ms);
      signal?.addEventListener("abort", finish, { once: true });
    }),
};
