/** How a process of a simulated world is tuned. */
import { TUNING, type Tuning } from "../../src/agent/tuning.ts";
import type { Random } from "./random.ts";

/** Small batches, so that a world of twenty pages meets every boundary between batches, and few or many of them at once. */
export function drawTuning(draw: Random): Tuning {
  return {
    ...TUNING,
    workerConcurrency: { walk: draw.int(1, 4), quote: draw.int(1, 4), acquire: draw.int(1, 8), report: 1 },
    dispatch: {
      maxOutstanding: { walk: draw.int(1, 4), quote: draw.int(1, 4), acquire: draw.int(1, 6) },
      quotesPerSite: draw.int(1, 3),
      idleMs: 500,
      waitingBatches: draw.int(1, 3),
    },
    finalFlushAttempts: draw.int(1, 8),
    pipeline: {
      ...TUNING.pipeline,
      acquireBatchSize: draw.int(1, 6),
      leaseMs: draw.pick([3_000, 20_000, 60_000]),
      probes: draw.int(1, 8),
    },
  };
}
