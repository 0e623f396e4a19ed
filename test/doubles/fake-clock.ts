import type { Clock } from "../../src/time/clock.ts";

interface Sleeper {
  wakeAt: number;
  readonly wake: () => void;
}

/** A clock that does not move until a test moves it. */
export interface FakeClock extends Clock {
  /** Waits asked for so far, in ms, in order. */
  readonly sleeps: readonly number[];
  /** How many wait now. */
  readonly sleeping: number;
  /** Moves time forward and wakes those whose time has come, earliest first. */
  advance(ms: number): void;
  /** Moves time forward and wakes no sleeper yet, as when the process was suspended. */
  jump(ms: number): void;
  /** Sets the clock back without waking anybody, as a wrong clock that is put right does. */
  turnBack(ms: number): void;
  /**
   * Moves time on to the next sleeper whenever nothing but time can go on, until the work ends.
   * @param isIdle says that no call of the work is under way
   */
  drive<Result>(work: Promise<Result>, isIdle: () => boolean): Promise<Result>;
}

/** More wake-ups than any test needs: a loop that would never end fails instead of hanging. */
const MAX_WAKE_UPS = 20_000;

export function createFakeClock(startAt: number = Date.UTC(2026, 10, 20, 12)): FakeClock {
  let now = startAt;
  let sleepers: Sleeper[] = [];
  const sleeps: number[] = [];

  const advance = (ms: number): void => {
    const target = now + ms;
    for (;;) {
      const due = sleepers.filter(({ wakeAt }) => wakeAt <= target).sort((a, b) => a.wakeAt - b.wakeAt)[0];
      if (due === undefined) {
        break;
      }
      now = Math.max(now, due.wakeAt);
      due.wake();
    }
    now = target;
  };

  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        sleeps.push(ms);
        if (signal?.aborted) {
          resolve();
          return;
        }
        const wake = () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        const sleeper: Sleeper = { wakeAt: now + ms, wake };
        sleepers.push(sleeper);
        signal?.addEventListener("abort", wake, { once: true });
      }),
    get sleeps() {
      return sleeps;
    },
    get sleeping() {
      return sleepers.length;
    },
    advance,
    jump: (ms) => {
      now += ms;
    },
    turnBack: (ms) => {
      now -= ms;
      // A timer counts on, whatever the clock shows.
      for (const sleeper of sleepers) {
        sleeper.wakeAt -= ms;
      }
    },
    drive: async (work, isIdle) => {
      let ended = false;
      const settled = work.finally(() => {
        ended = true;
      });
      settled.catch(() => {});
      for (let wakeUps = 0; !ended; ) {
        await turn();
        await turn();
        const next = sleepers.reduce<Sleeper | null>((a, b) => (a === null || b.wakeAt < a.wakeAt ? b : a), null);
        if (!ended && isIdle() && next !== null) {
          if (++wakeUps > MAX_WAKE_UPS) {
            throw new Error("the work would never end: it sleeps again and again");
          }
          advance(Math.max(0, next.wakeAt - now));
        }
      }
      return settled;
    },
  };
}

/** Everything that is ready has run when this resolves. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
