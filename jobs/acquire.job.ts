import { acquire } from "../src/pipeline/acquire/acquire.ts";
import type { StageDeps } from "../src/pipeline/stage-deps.ts";
import type { JobProcessor } from "../src/queue/queue.ts";
import { type JobContext, toLeaseProcessor } from "./outcome.ts";

export function acquireJob(deps: StageDeps, context: JobContext): JobProcessor {
  return toLeaseProcessor(context, (leaseId, signal) => acquire(deps, leaseId, signal));
}
