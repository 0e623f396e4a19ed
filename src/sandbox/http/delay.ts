/**
 * Exact waits. A plain timer may fire up to a millisecond early or late, which is a large part of a latency of a few
 * milliseconds. All waits share one timer, which wakes a little early. The rest is spent in turns of the event loop, which stays
 * responsive.
 */
export interface Delay {
  /** Runs `action` after `ms`. */
  after(ms: number, action: () => void): void;
  /** Cancels every action that has not run. */
  cancel(): void;
}

/** Below this distance a timer is too coarse, and the event loop's own turns are counted instead. */
const SPIN_MS = 1.2;

export function createDelay(): Delay {
  // Sorted by deadline. Latency is mostly one constant, so a new wait almost always goes to the end.
  let waits: { readonly deadline: number; readonly action: () => void }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let spin: NodeJS.Immediate | undefined;

  const schedule = () => {
    clearTimeout(timer);
    timer = undefined;
    const [next] = waits;
    if (next === undefined || spin !== undefined) {
      return;
    }
    const distance = next.deadline - performance.now();
    if (distance <= SPIN_MS) {
      spin = setImmediate(run);
    } else {
      timer = setTimeout(schedule, Math.floor(distance - SPIN_MS));
    }
  };
  const run = () => {
    spin = undefined;
    const now = performance.now();
    let due = 0;
    while (due < waits.length && (waits[due]?.deadline ?? 0) <= now) {
      due += 1;
    }
    for (const { action } of waits.splice(0, due)) {
      action();
    }
    schedule();
  };

  return {
    after: (ms, action) => {
      const deadline = performance.now() + ms;
      let index = waits.length;
      while (index > 0 && (waits[index - 1]?.deadline ?? 0) > deadline) {
        index -= 1;
      }
      waits.splice(index, 0, { deadline, action });
      if (index === 0) {
        schedule();
      }
    },
    cancel: () => {
      waits = [];
      clearTimeout(timer);
      clearImmediate(spin);
      spin = undefined;
    },
  };
}
