/** Sizes and waits that are not the user's business. Each was measured with `npm run bench`; see docs/performance.md. */
import type { DispatchLimits } from "../pipeline/dispatch.ts";
import type { PipelineLimits } from "../pipeline/stage-deps.ts";
import type { Stage } from "../queue/queue.ts";

/** Jobs of each stage at once. Acquire jobs overlap so that the gateway's places stay filled while one batch ends. */
export const WORKER_CONCURRENCY: Readonly<Record<Stage, number>> = { walk: 2, quote: 2, acquire: 4, report: 1 };

/** Pages between token and settlement for each of the gateway's places: those that wait for a commit hold no place. */
export const PAGES_PER_PLACE = 4;

export const DISPATCH_LIMITS: Pick<DispatchLimits, "maxOutstanding" | "idleMs"> & { readonly waitingBatches: number } =
  {
    maxOutstanding: 12,
    idleMs: 500,
    /** A walk runs this many quote batches ahead of the buying. */
    waitingBatches: 24,
  };

/** Each unanswered report is sent this often at the end of a run before it is left to the next flush. */
export const FINAL_FLUSH_PATIENCE = 8;

/** All limits but those that the configuration names. */
export const PIPELINE_TUNING: Omit<
  PipelineLimits,
  "catalogPageSize" | "quoteBatchSize" | "reportBatchSize" | "reportWindowMs"
> = {
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
};
