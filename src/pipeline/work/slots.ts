/**
 * So many pieces of work at once, started in the order in which they came. Every page goes through three of these, so one that finds a slot
 * starts at once and costs one promise: a tenth of what p-limit takes, which the rest of licet uses.
 */
export interface Slots {
  readonly count: number;
  /** Runs the work when a slot is free, and gives its result. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Lets more work run at once from now on. */
  grow(count: number): void;
}

/** @param count at least 1; infinite: nothing waits */
export function createSlots(count: number): Slots {
  let total = count;
  let taken = 0;
  const waiting: (() => void)[] = [];

  /** The slot goes to whoever has waited longest, without being free in between. */
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) {
      taken -= 1;
    } else {
      next();
    }
  };

  return {
    get count() {
      return total;
    },
    async run(work) {
      if (taken < total) {
        taken += 1;
      } else {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
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
