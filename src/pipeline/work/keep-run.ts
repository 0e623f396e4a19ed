import { isLicetError } from "../../errors.ts";
import type { StageDeps } from "../stage-deps.ts";
import { type KeptLease, keepRenewing } from "./keep-lease.ts";

/**
 * Records in regular intervals that this process works on a run, also while the process waits. The signal aborts when the run has
 * ended or another process took it over.
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
      return await ledger.renewRun({ ...run, aliveUntil });
    } catch (error) {
      if (isLicetError(error)) {
        // The failure may be temporary, and it does not show who owns the run. If it lasts, the stage's own ledger call reports
        // it.
        return true;
      }
      throw error;
    }
  };
  return keepRenewing(clock, limits.leaseMs, renew, outer);
}
