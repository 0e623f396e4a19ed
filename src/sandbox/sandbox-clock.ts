import type { Clock } from "../time/clock.ts";

/** The years that dates in catalogs and tokens can show. */
const MIN_AT = Date.UTC(1970, 0, 1);
const MAX_AT = Date.UTC(9999, 0, 1);

/** The time of a sandbox: that of another clock, moved. It runs on after each move. */
export interface SandboxClock extends Clock {
  /** How far this clock is ahead of the other one, in ms. */
  readonly offsetMs: number;
  /** Moves the clock, also back. Waits that are over then end at once. @throws Error when the year is not one of 1970 to 9998 */
  moveBy(ms: number): void;
}

export function createSandboxClock(base: Clock): SandboxClock {
  let offsetMs = 0;
  let moved = new AbortController();
  const now = () => base.now() + offsetMs;
  return {
    get offsetMs() {
      return offsetMs;
    },
    now,
    sleep: async (ms, signal) => {
      const endAt = now() + ms;
      for (let restMs = ms; restMs > 0; restMs = endAt - now()) {
        const move = moved.signal;
        await base.sleep(restMs, signal === undefined ? move : AbortSignal.any([move, signal]));
        if (!move.aborted || signal?.aborted === true) {
          return;
        }
      }
    },
    moveBy: (ms) => {
      const at = now() + ms;
      if (!(at >= MIN_AT && at < MAX_AT)) {
        throw new Error("the clock can only be moved to an instant of the years 1970 to 9998");
      }
      offsetMs += ms;
      moved.abort();
      moved = new AbortController();
    },
  };
}
