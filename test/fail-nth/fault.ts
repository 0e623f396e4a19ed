/**
 * When a fault strikes: at the nth operation alone, at that and the next one (so that the attempt to undo the first fails
 * too, and the process goes on), or at every one from the nth on until it is repaired. Everything that can fail here asks `strikes()` once per operation, so an n that is never reached shows that the whole run was tried.
 */
export interface FaultPoint {
  /** Counts one operation. True when the fault strikes it. */
  strikes(operation: string): boolean;
  /** From now on nothing strikes. */
  repair(): void;
  /** The operations that were counted, and those that were struck, by name. */
  readonly seen: readonly string[];
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
  const seen: string[] = [];
  const struck: string[] = [];
  let isRepaired = false;
  return {
    seen,
    struck,
    strikes(operation) {
      if (isRepaired || !only(operation)) {
        return false;
      }
      const count = seen.push(operation);
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
export const NO_FAULT: FaultPoint = { seen: [], struck: [], strikes: () => false, repair() {} };
