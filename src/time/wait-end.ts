/**
 * When a wait is over whose end is a row of the ledger. A clock that was ahead has set ends that lie far away. No wait of a kind lasts longer than
 * its longest one: an end that is further away than that is of such a clock, and the wait is over. Everything that waits for an instant of a
 * row asks here.
 */
import { CLOCK_TOLERANCE_MS } from "./clock-judgement.ts";

/** An end after this instant was set by a clock that was ahead. */
export function latestWaitEnd(now: number, longestMs: number): number {
  return now + longestMs + CLOCK_TOLERANCE_MS;
}

export function isWaitOver(
  endAt: number,
  { now, longestMs }: { readonly now: number; readonly longestMs: number },
): boolean {
  return endAt <= now || endAt > latestWaitEnd(now, longestMs);
}
