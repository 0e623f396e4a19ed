/** How an error of a stage becomes the outcome of its job: the only place where that is decided. */
import { isLicetError, type LicetError } from "../src/errors.ts";
import { type InFlightRegistry, keyOfJob } from "../src/pipeline/in-flight-jobs.ts";
import type { JobOutcome, JobProcessor, LeaseJob } from "../src/queue/queue.ts";

export interface JobContext {
  /** Aborted when the run is to stop: jobs finish what is started and leave the rest. */
  readonly stop: AbortSignal;
  readonly inFlight: InFlightRegistry;
  /** An operating error that ends the run. The batch stays in the ledger and is leased again when the run is resumed. */
  readonly onFailure: (error: LicetError) => void;
}

/**
 * Runs one stage as a job. Stages deal with what concerns a page or a site themselves, so what they throw ends the run; a
 * bug is thrown on, for the queue to report. The job is never repeated by the queue: the ledger leases its batch again.
 */
export function toProcessor(
  { stop, inFlight, onFailure }: JobContext,
  work: (leaseId: LeaseJob["leaseId"], signal: AbortSignal) => Promise<void>,
): JobProcessor {
  return async (job, signal): Promise<JobOutcome> => {
    const key = keyOfJob(job);
    if (inFlight.active.has(key)) {
      // Delivered twice (the queue took a busy worker for a dead one): a second worker under the same lease would
      // find what the first has under way, and could only spoil it.
      return { kind: "drop" };
    }
    inFlight.begin(key);
    try {
      await work(job.leaseId, AbortSignal.any([signal, stop]));
      return { kind: "done" };
    } catch (error) {
      if (!isLicetError(error)) {
        throw error;
      }
      onFailure(error);
      return { kind: "drop" };
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
