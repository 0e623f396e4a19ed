import { REPORTED_ELSEWHERE } from "../src/pipeline/report/flush.ts";
import { flushUsage } from "../src/pipeline/report/report.ts";
import type { WorkerDeps } from "../src/pipeline/stage-deps.ts";
import type { JobProcessor } from "../src/queue/queue.ts";
import { type JobContext, toProcessor } from "./outcome.ts";

/**
 * Sends full batches only and does not wait. The flush at the end of the run sends the rest. When the gateway refuses the
 * account's reports, this run sends no more until its end. All uses are kept.
 */
export function reportJob(deps: WorkerDeps, context: JobContext): JobProcessor {
  let refused = false;
  return toProcessor(context, async (_noLease, signal) => {
    if (refused) {
      return;
    }
    const { stopped, ...flushed } = await flushUsage(
      deps,
      { attempts: 0, minUses: deps.limits.reportBatchSize },
      signal,
    );
    refused = flushed.refused;
    if (stopped !== null && stopped !== REPORTED_ELSEWHERE && !signal.aborted) {
      deps.events.warned(`usage was not reported: ${stopped}`);
    }
  });
}
