import type { StageDeps } from "./stage-deps.ts";

/** A lease is extended this many times before it would run out, so that one late extension does not lose it. */
const RENEWALS_PER_LEASE = 3;

/**
 * Extends a lease until stopped. When it is lost (another worker has the batch by now), `signal` aborts, as it does when
 * `outer` does: nothing new may be started, and what is started may be finished.
 */
export function keepLease(
  deps: Pick<StageDeps, "ledger" | "clock" | "limits">,
  leaseId: string,
  outer: AbortSignal,
): { readonly signal: AbortSignal; stop(): void } {
  const lost = new AbortController();
  const stopped = new AbortController();
  const { leaseMs } = deps.limits;
  const renew = async () => {
    for (;;) {
      await deps.clock.sleep(leaseMs / RENEWALS_PER_LEASE, stopped.signal);
      if (stopped.signal.aborted) {
        return;
      }
      if (!(await deps.ledger.renewLease({ leaseId, expiresAt: deps.clock.now() + leaseMs }))) {
        lost.abort();
        return;
      }
    }
  };
  // A ledger that cannot renew cannot start a purchase either: that call reports the failure.
  renew().catch(() => lost.abort());
  return { signal: AbortSignal.any([outer, lost.signal]), stop: () => stopped.abort() };
}
