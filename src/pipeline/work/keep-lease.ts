import type { WorkerDeps } from "../stage-deps.ts";

/** A lease is renewed this many times before it would expire, so that one late renewal does not lose it. */
const RENEWALS_PER_LEASE = 3;

/** Nobody reads the reason. Without one, each stop would make an error with its stack. */
const STOPPED = "stopped";

export interface KeptLease {
  /** Aborts when the lease is lost, or when the outer signal aborts. */
  readonly signal: AbortSignal;
  stop(): void;
}

/**
 * Renews a batch's lease until it is stopped, at first when a third of it is over: it began when its job was put into the queue. The lease is
 * lost when another worker has the batch. Then nothing new may be started, but started work may be finished.
 */
export function keepLease(
  { ledger, clock, limits }: Pick<WorkerDeps, "ledger" | "clock" | "limits">,
  { leaseId, leasedUntil }: { readonly leaseId: string; readonly leasedUntil: number },
  outer: AbortSignal,
): KeptLease {
  const renew = (expiresAt: number) => ledger.renewLease({ leaseId, expiresAt });
  return keepRenewing(clock, { leaseMs: limits.leaseMs, leftMs: leasedUntil - clock.now(), renew }, outer);
}

/** Renews the flusher's lease in the same way, because the answer to a report may take longer than one lease. */
export function keepFlusherLease(
  { ledger, clock, limits }: Pick<WorkerDeps, "ledger" | "clock" | "limits">,
  fence: number,
  outer: AbortSignal,
): KeptLease {
  const renew = (expiresAt: number) => ledger.renewFlusher({ fence, expiresAt });
  return keepRenewing(clock, { leaseMs: limits.flushLeaseMs, leftMs: limits.flushLeaseMs, renew }, outer);
}

export interface Renewing {
  readonly leaseMs: number;
  /** Of the lease, now. */
  readonly leftMs: number;
  readonly renew: (expiresAt: number) => Promise<boolean>;
}

export function keepRenewing(
  clock: WorkerDeps["clock"],
  { leaseMs, leftMs, renew }: Renewing,
  outer: AbortSignal,
): KeptLease {
  const betweenMs = Math.floor(leaseMs / RENEWALS_PER_LEASE);
  const lost = new AbortController();
  const stopped = new AbortController();
  const keep = async () => {
    for (let waitMs = Math.max(0, Math.min(betweenMs, leftMs - leaseMs + betweenMs)); ; waitMs = betweenMs) {
      await clock.sleep(waitMs, stopped.signal);
      if (stopped.signal.aborted) {
        return;
      }
      if (!(await renew(clock.now() + leaseMs))) {
        lost.abort();
        return;
      }
    }
  };
  // When the ledger cannot renew, the stage's next ledger call fails too and reports the failure.
  keep().catch(() => lost.abort());
  return { signal: AbortSignal.any([outer, lost.signal]), stop: () => stopped.abort(STOPPED) };
}
