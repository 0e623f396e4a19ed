import { acquire } from "../src/pipeline/acquire.ts";
import type { StageDeps } from "../src/pipeline/stage-deps.ts";
import type { JobProcessor } from "../src/queue/queue.ts";
import { type JobContext, toProcessor } from "./outcome.ts";

export function acquireJob(deps: StageDeps, context: JobContext): JobProcessor {
  return toProcessor(context, (job, signal) => acquire(deps, job.leaseId, signal));
}
