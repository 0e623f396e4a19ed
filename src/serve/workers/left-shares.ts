import { longestAnswerMs } from "../../gateway/transport.ts";
import type { KnownWorker } from "../../ledger/service-ledger.ts";

export interface ShareTimes {
  readonly workerLeaseMs: number;
  readonly timeoutMs: number;
}

/** From its last sign of life, a worker may have requests under way for so long: its share ends, and then the longest answer to what it began last. */
export function longestUseMs({ workerLeaseMs, timeoutMs }: ShareTimes): number {
  return workerLeaseMs + longestAnswerMs(timeoutMs);
}

/**
 * Whether one of the workers of the service before may have requests under way, although that service stopped in order: it was lost, or had jobs to the
 * end. What it was dealt is dealt again when nothing of it can be under way, as after a death.
 */
export function haveSharesLeft(
  known: readonly KnownWorker[],
  { now, ...times }: ShareTimes & { now: number },
): boolean {
  const longestMs = longestUseMs(times);
  return known.some(({ state, jobs, seenAt }) => (state === "lost" || jobs > 0) && now - seenAt <= longestMs);
}
