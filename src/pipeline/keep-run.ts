import { isLicetError } from "../errors.ts";
import { type KeptLease, keepRenewing } from "./keep-lease.ts";
import type { StageDeps } from "./stage-deps.ts";

/** Says that this process works on a run, also while it waits. The signal aborts when the run was ended or taken from it. */
export function keepRun(
  { ledger, clock, limits }: Pick<StageDeps, "ledger" | "clock" | "limits">,
  run: { readonly runId: string; readonly process: string },
  outer: AbortSignal,
): KeptLease {
  const renew = async (aliveUntil: number): Promise<boolean> => {
    try {
      return await ledger.renewRun({ ...run, aliveUntil });
    } catch (error) {
      if (isLicetError(error)) {
        // It may pass, and says nothing of whose the run is. Where it does not pass, the work itself reports it.
        return true;
      }
      throw error;
    }
  };
  return keepRenewing(clock, limits.leaseMs, renew, outer);
}
