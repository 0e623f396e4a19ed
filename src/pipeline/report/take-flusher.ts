import type { FlushLease } from "../../ledger/usage-ledger.ts";
import type { StageDeps } from "../stage-deps.ts";

/** How often a patient flush checks whether the flusher's lease is free, ms. */
const LEASE_POLL_MS = 500;

/**
 * Takes the flusher's lease. A patient flush waits until the lease of a killed process expires. A live process keeps renewing its
 * lease and does the work itself.
 */
export async function takeFlusher(
  deps: Pick<StageDeps, "ledger" | "clock" | "limits">,
  patience: number,
  signal: AbortSignal,
): Promise<FlushLease | null> {
  const { flushLeaseMs } = deps.limits;
  const polls = patience === 0 ? 0 : Math.ceil(flushLeaseMs / LEASE_POLL_MS) + 1;
  for (let poll = 0; ; poll++) {
    const lease = await deps.ledger.leaseFlusher({ now: deps.clock.now(), leaseMs: flushLeaseMs });
    if (lease !== null || poll >= polls || signal.aborted) {
      return lease;
    }
    await deps.clock.sleep(LEASE_POLL_MS, signal);
  }
}
