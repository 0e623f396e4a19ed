import { type ErrorCode, isLicetError, type LicetError } from "../../errors.ts";
import type { GatewayRetry } from "../../gateway/gateway.ts";
import { backoffMs } from "../../time/backoff.ts";
import type { WorkerDeps } from "../stage-deps.ts";

const MAX_BATCH_BACKOFF_MS = 30_000;

/** The kind of failure, for people, of the errors of the gateway after which a batch is tried again. */
const FAILURES: Readonly<Partial<Record<ErrorCode, GatewayRetry["because"]>>> = {
  GATEWAY_UNREACHABLE: "no_connection",
  GATEWAY_TIMEOUT: "timeout",
  GATEWAY_RATE_LIMITED: "rate_limited",
  GATEWAY_FAILED: "server_error",
  GATEWAY_ANSWER_INVALID: "bad_json",
};

/**
 * Returns a batch after a temporary failure. The batch is leased again after a growing wait.
 * @returns false when the failure is permanent, or has come `limits.batchAttempts` times. The caller then decides what it ends.
 */
export async function retryBatch(
  deps: Pick<WorkerDeps, "ledger" | "clock" | "limits" | "random" | "events">,
  lease: { readonly leaseId: string; readonly attempt: number; readonly call: GatewayRetry["call"] },
  error: unknown,
): Promise<boolean> {
  if (!isLicetError(error) || error.retry !== "later" || lease.attempt >= deps.limits.batchAttempts) {
    return false;
  }
  const waitMs = await restBatch(deps, lease);
  const because = FAILURES[error.code];
  if (because !== undefined) {
    deps.events.retrying({
      call: lease.call,
      because,
      status: "status" in error.details ? error.details.status : null,
      attempt: lease.attempt + 1,
      attempts: deps.limits.batchAttempts,
      waitMs,
    });
  }
  return true;
}

/**
 * Returns a batch that has failed too often, when the gateway fails whatever is asked of it and the run waits for its return.
 * @param probes see `OutagePolicy.isOutage`
 * @returns false when the failure counts
 */
export async function restInOutage(
  deps: Pick<WorkerDeps, "ledger" | "clock" | "limits" | "random" | "outagePolicy">,
  lease: { readonly leaseId: string; readonly attempt: number },
  error: LicetError,
  probes: readonly (() => Promise<unknown>)[],
): Promise<boolean> {
  // A lease is named `<batch>.<attempt>`.
  const [about = ""] = lease.leaseId.split(".");
  if (
    error.retry !== "later" ||
    error.stops === "run" ||
    !(await deps.outagePolicy.isOutage({ about, error, probes }))
  ) {
    return false;
  }
  await restBatch(deps, lease);
  return true;
}

/**
 * Returns a batch, which is leased again after a wait that grows with its attempts.
 * @returns the wait, in ms
 */
export async function restBatch(
  deps: Pick<WorkerDeps, "ledger" | "clock" | "limits" | "random">,
  lease: { readonly leaseId: string; readonly attempt: number },
): Promise<number> {
  const waitMs = backoffMs(lease.attempt, deps.limits.batchBackoffMs, MAX_BATCH_BACKOFF_MS, deps.random);
  await deps.ledger.returnBatch({ leaseId: lease.leaseId, notBefore: deps.clock.now() + waitMs });
  return waitMs;
}

/** True for an answer of the gateway or a missing answer. False for failures of the ledger and the queue, and for bugs. */
export function isGatewayError(error: unknown): error is LicetError {
  return isLicetError(error) && error.code.startsWith("GATEWAY_");
}
