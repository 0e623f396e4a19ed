/**
 * Starts each site slowly. Until a site has charged and delivered in this run what was ordered, only a few of its pages are in
 * flight. A gateway problem that affects every page then shows after a few pages. The ledger leases one acquire
 * batch of such a site at a time.
 */
import { createSlots, type Slots } from "../work/slots.ts";

/** Pages of a site in flight before its first good settlement. */
export const FIRST_PAGES = 4;

export interface SlowStart {
  /** Entered before the slots that all sites share: work that waits here occupies none of those. */
  readonly slots: Slots;
  /** A page was settled without a problem. All other pages may start. */
  proven(): void;
}

export function createSlowStart(isProven: boolean): SlowStart {
  const slots = createSlots(isProven ? Number.POSITIVE_INFINITY : FIRST_PAGES);
  return {
    slots,
    proven: () => slots.grow(Number.POSITIVE_INFINITY),
  };
}
