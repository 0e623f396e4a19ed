import type { Resources } from "../../agent/compose.ts";
import { isLicetError, type LicetError } from "../../errors.ts";
import { toBareFailure } from "../../ledger/messages/failure.ts";
import { ServiceWorkers } from "./workers.ts";
import type { WorkersDeps } from "./workers-deps.ts";

export interface CreateWorkers extends Pick<WorkersDeps, "log" | "isAfterDeath" | "known"> {
  /** A bug, as whoever waits for the answer is told of it. */
  readonly toOperating: (bug: unknown) => LicetError;
}

/** The workers of a process, of what it has. */
export function createServiceWorkers(
  { config, clock, tuning, ledger, gateway }: Resources,
  { toOperating, ...rest }: CreateWorkers,
): ServiceWorkers {
  const { leaseMs, flushLeaseMs } = tuning.pipeline;
  return new ServiceWorkers({
    config,
    clock,
    leaseTimes: { leaseMs, flushLeaseMs, workerLeaseMs: tuning.workerLeaseMs },
    ledger: () => ledger("existing"),
    gateway,
    failureOf: (error) => toBareFailure(isLicetError(error) ? error : toOperating(error)),
    ...rest,
  });
}
