import { flushUsage } from "../src/pipeline/report.ts";
import type { StageDeps } from "../src/pipeline/stage-deps.ts";
import type { JobProcessor } from "../src/queue/queue.ts";
import { type JobContext, toProcessor } from "./outcome.ts";

/** Full batches only, and no waiting: the flush at the end of the run sends the rest. */
export function reportJob(deps: StageDeps, context: JobContext): JobProcessor {
  return toProcessor(context, async (_job, signal) => {
    const { stopped } = await flushUsage(deps, { patience: 0, minUses: deps.limits.reportBatchSize }, signal);
    if (stopped !== null && !signal.aborted) {
      deps.events.warned(`usage was not reported: ${stopped}`);
    }
  });
}
