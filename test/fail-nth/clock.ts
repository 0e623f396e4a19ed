/**
 * A clock whose waits take no time. When only time can continue the work, the clock moves to the next sleeper. Backoffs of minutes
 * end at once, in their true order, while requests on real sockets take their real time.
 */
import type { Clock } from "../../src/time/clock.ts";

interface Sleeper {
  readonly wakeAt: number;
  readonly wake: () => void;
}

export interface LeapClock extends Clock {
  /**
   * Lets time pass until the work has ended.
   * @param isIdle says that neither ledger, queue nor gateway has anything of the work under way
   * @throws what the work throws; or that it never ends, with what it waits for
   */
  drive<Result>(work: Promise<Result>, isIdle: () => boolean): Promise<Result>;
}

/** More wake-ups than any run here needs: a loop that would never end fails instead of hanging. */
const MAX_WAKE_UPS = 20_000;
/** Real time without the end of the work. A gateway that is silent to all requests for content takes 17 s: some 200 waits of 50 or 100 ms, one after the other. */
const MAX_REAL_MS = 120_000;
/** Turns of the event loop that an answer from the same process may take; beyond that, somebody waits for a real timer. */
const QUICK_TURNS = 200;
const REAL_NAP_MS = 2;

export function createLeapClock(startAt: number = Date.UTC(2026, 10, 20, 12)): LeapClock {
  let now = startAt;
  const sleepers = new Set<Sleeper>();

  const leap = (): void => {
    let next: Sleeper | undefined;
    for (const sleeper of sleepers) {
      next = next === undefined || sleeper.wakeAt < next.wakeAt ? sleeper : next;
    }
    if (next !== undefined) {
      now = Math.max(now, next.wakeAt);
      next.wake();
    }
  };

  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) {
        resolve();
        return;
      }
      const wake = () => {
        sleepers.delete(sleeper);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const sleeper: Sleeper = { wakeAt: now + ms, wake };
      sleepers.add(sleeper);
      signal?.addEventListener("abort", wake, { once: true });
    });

  const drive = async <Result>(work: Promise<Result>, isIdle: () => boolean): Promise<Result> => {
    let ended = false;
    const settled = work.finally(() => {
      ended = true;
    });
    settled.catch(() => {});
    const startedAt = Date.now();
    let busyTurns = 0;
    for (let wakeUps = 0; !ended; ) {
      await turn();
      await turn();
      if (ended) {
        break;
      }
      if (wakeUps > MAX_WAKE_UPS || Date.now() - startedAt > MAX_REAL_MS) {
        throw new Error(`the work never ends: ${wakeUps} wake-ups, ${sleepers.size} asleep, idle: ${isIdle()}`);
      }
      if (isIdle()) {
        busyTurns = 0;
        wakeUps += 1;
        leap();
      } else if (++busyTurns > QUICK_TURNS) {
        await new Promise((resolve) => setTimeout(resolve, REAL_NAP_MS));
      }
    }
    return settled;
  };

  return { now: () => now, sleep, drive };
}

/** Everything that is ready has run when this resolves. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
