import { type Clock, systemClock } from "../../src/time/clock.ts";

/** A clock that runs faster than the machine's: for work over real sockets and files, where nothing says that only time can go on. */
export interface QuickClock extends Clock {
  /** Moves time forward. */
  jump(ms: number): void;
}

/** @param speed so many seconds pass in one */
export function createQuickClock(speed: number): QuickClock {
  const startedAt = systemClock.now();
  let jumpedMs = 0;
  return {
    now: () => Math.round(startedAt + (systemClock.now() - startedAt) * speed + jumpedMs),
    sleep: (ms, signal) => systemClock.sleep(ms / speed, signal),
    jump: (ms) => {
      jumpedMs += ms;
    },
  };
}
