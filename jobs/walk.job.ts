import type { StageDeps } from "../src/pipeline/stage-deps.ts";
import { walk } from "../src/pipeline/walk/walk.ts";
import type { JobProcessor } from "../src/queue/queue.ts";
import { type JobContext, toLeaseProcessor } from "./outcome.ts";

export function walkJob(deps: StageDeps, context: JobContext): JobProcessor {
  return toLeaseProcessor(context, (leaseId, signal) => walk(deps, leaseId, signal));
}
