/** Turns an error of a stage into the outcome of its job. No other file decides this. */
import { isLicetError, type LicetError } from "../src/errors.ts";
import { type InFlightRegistry, keyOfJob } from "../src/pipeline/work/in-flight-jobs.ts";
import type { JobOutcome, JobProcessor, LeaseJob } from "../src/queue/queue.ts";

export interface JobContext {
  /** Aborts when the run must stop. Jobs finish their started work and leave the rest. */
  readonly stop: AbortSignal;
  readonly inFlight: InFlightRegistry;
  /**
   * Called for an operating error that ends the run. The batch stays in the ledger and is leased again when the run is resumed.
   */
  readonly onFailure: (error: LicetError) => void;
}

/**
 * Runs one stage as a job. A stage handles errors of a page or a site itself, so an error that it throws ends the run. A bug is
 * thrown again, and the queue reports it. The queue never retries the job, because the ledger leases its batch again.
 */
export function toProcessor(
  { stop, inFlight, onFailure }: JobContext,
  work: (leaseId: LeaseJob["leaseId"], signal: AbortSignal) => Promise<void>,
): JobProcessor {
  return async (job, signal): Promise<JobOutcome> => {
    const key = keyOfJob(job);
    if (inFlight.active.has(key)) {
      // The job was delivered twice, because the queue considered a busy worker dead. A second worker under the same lease would
      // disturb the first one.
      return "drop";
    }
    inFlight.begin(key);
    try {
      await work(job.leaseId, AbortSignal.any([signal, stop]));
      return "done";
    } catch (error) {
      if (!isLicetError(error)) {
        throw error;
      }
      onFailure(error);
      return "drop";
    } finally {
      inFlight.end(key);
    }
  };
}

/** A stage that works on a leased batch, which the queue gives no job without a lease. */
export function toLeaseProcessor(
  context: JobContext,
  work: (leaseId: string, signal: AbortSignal) => Promise<void>,
): JobProcessor {
  return toProcessor(context, (leaseId, signal) => {
    if (leaseId === null) {
      throw new Error("a job of a batch has no lease");
    }
    return work(leaseId, signal);
  });
}
