import { isLicetError } from "../../errors.ts";
import { stoppedBy } from "../../run/stopped-by.ts";
import type { StageDeps } from "../stage-deps.ts";
import { type KeptLease, keepRenewing } from "./keep-lease.ts";

/**
 * Records in regular intervals that this process works on a run, also while the process waits. The signal aborts when the run has
 * ended or another process took it over.
 *
 * When the outer signal aborts, who stopped the run is recorded at once: the process finishes what it has started, and may be killed
 * meanwhile. Nobody then goes on with what a person stopped.
 */
export function keepRun(
  {
    ledger,
    clock,
    limits,
  }: Pick<StageDeps, "ledger" | "clock"> & {
    readonly limits: Pick<StageDeps["limits"], "leaseMs">;
  },
  run: { readonly runId: string; readonly process: string },
  outer: AbortSignal,
): KeptLease {
  const renew = async (aliveUntil: number): Promise<boolean> => {
    try {
      return await ledger.renewRun({
        ...run,
        aliveUntil,
        stopped: outer.aborted ? { ...stoppedBy(outer), at: clock.now() } : null,
      });
    } catch (error) {
      if (isLicetError(error)) {
        // The failure may be temporary, and it does not show who owns the run. If it lasts, the stage's own ledger call reports
        // it.
        return true;
      }
      throw error;
    }
  };
  const kept = keepRenewing(clock, { leaseMs: limits.leaseMs, leftMs: limits.leaseMs, renew }, outer);
  // When this write fails, the next heartbeat says it.
  const writeStop = () => void renew(clock.now() + limits.leaseMs).catch(() => {});
  if (outer.aborted) {
    writeStop();
  }
  outer.addEventListener("abort", writeStop, { once: true });
  return {
    signal: kept.signal,
    stop: () => {
      outer.removeEventListener("abort", writeStop);
      kept.stop();
    },
  };
}
