/** Sizes and waits that a user does not set. docs/performance.md lists the measured ones. The others have generous values. */

import type { PipelineLimits } from "../pipeline/stage-deps.ts";
import type { DispatchLimits } from "../pipeline/work/dispatch.ts";
import type { Stage } from "../queue/queue.ts";

export interface Tuning {
  /** Concurrent jobs of each stage in one process. */
  readonly workerConcurrency: Readonly<Record<Stage, number>>;
  readonly dispatch: Pick<DispatchLimits, "maxOutstanding" | "quotesPerSite" | "idleMs"> & {
    /** A walk stays at most this many quote batches ahead of the purchases. */
    readonly waitingBatches: number;
  };
  /** How often each unanswered report is sent at the end of a run. After that it waits for the next flush. */
  readonly finalFlushAttempts: number;
  /** How long the lease of a service lasts without a renewal. */
  readonly serviceLeaseMs: number;
  /** A worker on another machine that gives no sign of life for so long is gone, and uses nothing of the gateway any more. */
  readonly workerLeaseMs: number;
  /** All limits of the stages except those that the configuration sets. */
  readonly pipeline: Omit<
    PipelineLimits,
    "catalogPageSize" | "quoteBatchSize" | "minContentBytes" | "reportBatchSize" | "reportWindowMs"
  >;
}

/** Pages between token and settlement for each gateway connection. Pages that wait for a commit use no connection. */
export const PAGES_PER_PLACE = 4;

/** So many connections to the gateway are busy with the jobs that `TUNING` names: four acquire jobs, each with the first four pages of a site. */
const PLACES_OF_TUNING = 16;

export const TUNING: Tuning = {
  // Acquire jobs overlap, so that the gateway's connections stay busy while one batch ends.
  workerConcurrency: { walk: 4, quote: 2, acquire: 4, report: 1 },
  dispatch: { maxOutstanding: { walk: 6, quote: 3, acquire: 9 }, quotesPerSite: 2, idleMs: 500, waitingBatches: 5 },
  finalFlushAttempts: 8,
  serviceLeaseMs: 15_000,
  workerLeaseMs: 10_000,
  pipeline: {
    acquireBatchSize: 200,
    leaseMs: 60_000,
    flushLeaseMs: 10_000,
    batchAttempts: 6,
    batchBackoffMs: 500,
    probes: 8,
    probeBackoffMs: 200,
    maxProbeBackoffMs: 8_000,
    reportBackoffMs: 500,
    maxReportBackoffMs: 10_000,
  },
};

/**
 * The tuning of a service with more workers: so many times as many batches of a run are worked on at once. The limits of the gateway hold in
 * any case. Uses are reported by one job, because one flusher sends.
 */
export function tuneFor(tuning: Tuning, workers: number): Tuning {
  const { workerConcurrency, dispatch } = tuning;
  return {
    ...tuning,
    workerConcurrency: { ...multiply(workerConcurrency, workers), report: workerConcurrency.report },
    dispatch: {
      ...dispatch,
      maxOutstanding: multiply(dispatch.maxOutstanding, workers),
      quotesPerSite: dispatch.quotesPerSite * workers,
      waitingBatches: dispatch.waitingBatches * workers,
    },
  };
}

function multiply(
  { walk, quote, acquire }: DispatchLimits["maxOutstanding"],
  by: number,
): DispatchLimits["maxOutstanding"] {
  return { walk: walk * by, quote: quote * by, acquire: acquire * by };
}

/**
 * The tuning of a process with so many connections to the gateway. Of many small sites, each has one job at a time, which asks for one page of a
 * catalog, the rates of one batch or a few pages: with the jobs of one large site most connections would wait. What is done for one site grows with the
 * processes alone.
 * @param processes that share the connections
 */
export function tuneToPlaces(tuning: Tuning, places: number, processes = 1): Tuning {
  const { workerConcurrency, dispatch } = tuneFor(tuning, Math.max(processes, Math.floor(places / PLACES_OF_TUNING)));
  const { quotesPerSite, waitingBatches } = tuneFor(tuning, processes).dispatch;
  return { ...tuning, workerConcurrency, dispatch: { ...dispatch, quotesPerSite, waitingBatches } };
}
