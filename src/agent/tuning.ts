/** Sizes and waits that are not the user's business. docs/performance.md says what was measured; the others are chosen with room to spare. */
import type { DispatchLimits } from "../pipeline/dispatch.ts";
import type { PipelineLimits } from "../pipeline/stage-deps.ts";
import type { Stage } from "../queue/queue.ts";

export interface Tuning {
  /** Jobs of each stage at once in one process. */
  readonly workerConcurrency: Readonly<Record<Stage, number>>;
  readonly dispatch: Pick<DispatchLimits, "maxOutstanding" | "idleMs"> & {
    /** A walk runs this many quote batches ahead of the buying. */
    readonly waitingBatches: number;
  };
  /** Each unanswered report is sent this often at the end of a run before it is left to the next flush. */
  readonly finalFlushPatience: number;
  /** All limits of the stages but those that the configuration names. */
  readonly pipeline: Omit<
    PipelineLimits,
    "catalogPageSize" | "quoteBatchSize" | "minContentBytes" | "reportBatchSize" | "reportWindowMs"
  >;
}

/** Pages between token and settlement for each of the gateway's places: those that wait for a commit hold no place. */
export const PAGES_PER_PLACE = 4;

export const TUNING: Tuning = {
  // Acquire jobs overlap so that the gateway's places stay filled while one batch ends.
  workerConcurrency: { walk: 2, quote: 2, acquire: 4, report: 1 },
  dispatch: { maxOutstanding: 12, idleMs: 500, waitingBatches: 24 },
  finalFlushPatience: 8,
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
