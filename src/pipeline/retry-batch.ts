import { isLicetError, type LicetError } from "../errors.ts";
import { backoffMs } from "../time/backoff.ts";
import type { StageDeps } from "./stage-deps.ts";

const MAX_BATCH_BACKOFF_MS = 30_000;

/**
 * Returns a batch after a temporary failure. The batch is leased again after a growing wait.
 * @returns false when the failure is permanent, or has come `limits.batchAttempts` times. The caller then decides what it ends.
 */
export async function retryBatch(
  deps: Pick<StageDeps, "ledger" | "clock" | "limits" | "random">,
  lease: { readonly leaseId: string; readonly attempt: number },
  error: unknown,
): Promise<boolean> {
  if (!isLicetError(error) || error.retry !== "later" || lease.attempt >= deps.limits.batchAttempts) {
    return false;
  }
  await restBatch(deps, lease);
  return true;
}

/** Returns a batch, which is leased again after a wait that grows with its attempts. */
export async function restBatch(
  deps: Pick<StageDeps, "ledger" | "clock" | "limits" | "random">,
  lease: { readonly leaseId: string; readonly attempt: number },
): Promise<void> {
  const waitMs = backoffMs(lease.attempt, deps.limits.batchBackoffMs, MAX_BATCH_BACKOFF_MS, deps.random);
  await deps.ledger.returnBatch({ leaseId: lease.leaseId, notBefore: deps.clock.now() + waitMs });
}

/** True for an answer of the gateway or a missing answer. False for failures of the ledger and the queue, and for bugs. */
export function isGatewayError(error: unknown): error is LicetError {
  return isLicetError(error) && error.code.startsWith("GATEWAY_");
}
