/**
 * Until a site has shown in this run that it charges and delivers what was ordered, only a few of its pages are under way (design § Runs):
 * what a gateway does to every page is then seen after a few of them. The ledger leases one acquire batch of such a site at a time.
 */
import pLimit from "p-limit";

/** Pages of a site under way before its first good settlement. */
export const FIRST_PAGES = 4;

export interface SlowStart {
  /** Runs the work when it may. Waiting holds none of the places that all sites share. */
  pass<Result>(work: () => Promise<Result>): Promise<Result>;
  /** A page was settled with nothing wrong: all others may go. */
  proven(): void;
}

export function createSlowStart(isProven: boolean): SlowStart {
  const gate = pLimit(isProven ? Number.POSITIVE_INFINITY : FIRST_PAGES);
  return {
    pass: (work) => gate(work),
    proven: () => {
      gate.concurrency = Number.POSITIVE_INFINITY;
    },
  };
}
