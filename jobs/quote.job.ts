import { quote } from "../src/pipeline/quote/quote.ts";
import type { StageDeps } from "../src/pipeline/stage-deps.ts";
import type { JobProcessor } from "../src/queue/queue.ts";
import { type JobContext, toLeaseProcessor } from "./outcome.ts";

export function quoteJob(deps: StageDeps, context: JobContext): JobProcessor {
  return toLeaseProcessor(context, (leaseId, signal) => quote(deps, leaseId, signal));
}
