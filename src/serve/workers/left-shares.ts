import { longestAnswerMs } from "../../gateway/transport.ts";
import type { KnownWorker } from "../../ledger/service-ledger.ts";

export interface LeftShares {
  readonly now: number;
  readonly workerLeaseMs: number;
  readonly timeoutMs: number;
}

/**
 * Whether one of the workers of the service before may have requests under way, although that service stopped in order: it was lost, or had jobs to the
 * end. What it was dealt is dealt again when nothing of it can be under way, as after a death.
 */
export function haveSharesLeft(known: readonly KnownWorker[], { now, workerLeaseMs, timeoutMs }: LeftShares): boolean {
  const longestMs = workerLeaseMs + longestAnswerMs(timeoutMs);
  return known.some(({ state, jobs, seenAt }) => (state === "lost" || jobs > 0) && now - seenAt <= longestMs);
}
