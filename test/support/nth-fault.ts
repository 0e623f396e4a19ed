/**
 * When a fault strikes: at the nth operation alone, at that and the next one (so that the attempt to undo the first fails
 * too, and the process goes on), or at every one from the nth on until it is repaired. Everything that can fail here asks `strikes()` once per operation, so an n that is never reached shows that the whole run was tried.
 */
export interface FaultPoint {
  /** Counts one operation. True when the fault strikes it. */
  strikes(operation: string): boolean;
  /** From now on nothing strikes. */
  repair(): void;
  /** The operations that were struck, by name. */
  readonly struck: readonly string[];
}

export type Duration = "single" | "double" | "lasting";

const STRIKES: Readonly<Record<Duration, number>> = { single: 1, double: 2, lasting: Number.POSITIVE_INFINITY };

/** @param n from 1; `only` narrows what is counted */
export function createFaultPoint(
  n: number,
  duration: Duration,
  only: (operation: string) => boolean = () => true,
): FaultPoint {
  const struck: string[] = [];
  let count = 0;
  let isRepaired = false;
  return {
    struck,
    strikes(operation) {
      if (isRepaired || !only(operation)) {
        return false;
      }
      count += 1;
      const hits = count >= n && count < n + STRIKES[duration];
      if (hits) {
        struck.push(operation);
      }
      return hits;
    },
    repair() {
      isRepaired = true;
    },
  };
}

/** Nothing ever strikes. */
export const NO_FAULT: FaultPoint = { struck: [], strikes: () => false, repair() {} };
