import type { StageDeps } from "../src/pipeline/stage-deps.ts";
import type { JobProcessor, Stage } from "../src/queue/queue.ts";
import { acquireJob } from "./acquire.job.ts";
import type { JobContext } from "./outcome.ts";
import { quoteJob } from "./quote.job.ts";
import { reportJob } from "./report.job.ts";
import { walkJob } from "./walk.job.ts";

/** Maps each stage to the processor of its jobs. */
export function createProcessors(deps: StageDeps, context: JobContext): Readonly<Record<Stage, JobProcessor>> {
  return {
    walk: walkJob(deps, context),
    quote: quoteJob(deps, context),
    acquire: acquireJob(deps, context),
    report: reportJob(deps, context),
  };
}
