import type { StageDeps } from "./stage-deps.ts";

/** A lease is extended this many times before it would run out, so that one late extension does not lose it. */
const RENEWALS_PER_LEASE = 3;

export interface KeptLease {
  /** Aborts when the lease is lost, as it does when the outer signal does. */
  readonly signal: AbortSignal;
  stop(): void;
}

/**
 * Extends a batch's lease until stopped. When it is lost (another worker has the batch by now), nothing new may be started,
 * and what is started may be finished.
 */
export function keepLease(
  { ledger, clock, limits }: Pick<StageDeps, "ledger" | "clock" | "limits">,
  leaseId: string,
  outer: AbortSignal,
): KeptLease {
  const renew = (expiresAt: number) => ledger.renewLease({ leaseId, expiresAt });
  return keepRenewing(clock, limits.leaseMs, renew, outer);
}

/** The same for the flusher's lease: a report may take longer to be answered than the lease lasts by itself. */
export function keepFlusherLease(
  { ledger, clock, limits }: Pick<StageDeps, "ledger" | "clock" | "limits">,
  fence: number,
  outer: AbortSignal,
): KeptLease {
  const renew = (expiresAt: number) => ledger.renewFlusher({ fence, expiresAt });
  return keepRenewing(clock, limits.flushLeaseMs, renew, outer);
}

export function keepRenewing(
  clock: StageDeps["clock"],
  leaseMs: number,
  renew: (expiresAt: number) => Promise<boolean>,
  outer: AbortSignal,
): KeptLease {
  const lost = new AbortController();
  const stopped = new AbortController();
  const keep = async () => {
    for (;;) {
      await clock.sleep(Math.floor(leaseMs / RENEWALS_PER_LEASE), stopped.signal);
      if (stopped.signal.aborted) {
        return;
      }
      if (!(await renew(clock.now() + leaseMs))) {
        lost.abort();
        return;
      }
    }
  };
  // A ledger that cannot renew cannot do what the lease is for either: that call reports the failure.
  keep().catch(() => lost.abort());
  return { signal: AbortSignal.any([outer, lost.signal]), stop: () => stopped.abort() };
}
