import type { DependenciesOpts, JobJson } from "bullmq";
import { BackendBase } from "./backend-base.ts";
import { refuseOperation } from "./refuse-operation.ts";

/** BullMQ's answer for the rest of a window when there is no rate limit. */
const NO_RATE_LIMIT = -2;

/**
 * What the embedded queue does not have: jobs with children (flows), deduplication other than by job id, rate limits, metrics. licet uses
 * none of them. What would begin one is refused by name; a question about one gets the answer of a queue where nobody began one, since
 * dashboards ask it of every job.
 */
export abstract class ChildlessBackend extends BackendBase {
  readonly addFlow = async () => refuseOperation("addFlow (flows)");
  readonly moveToWaitingChildren = async () => refuseOperation("moveToWaitingChildren (flows)");
  readonly removeChildDependency = async () => refuseOperation("removeChildDependency (flows)");

  async removeUnprocessedChildren(): Promise<void> {}

  readonly getDependencyCounts = async (_jobId: string, types: string[]): Promise<number[]> => types.map(() => 0);

  async getDependencies(_jobId: string, options: DependenciesOpts = {}) {
    const isAll = Object.keys(options).length === 0;
    return {
      ...(isAll || options.processed ? { processed: {}, ...(isAll ? {} : { nextProcessedCursor: 0 }) } : {}),
      ...(isAll || options.unprocessed ? { unprocessed: [], ...(isAll ? {} : { nextUnprocessedCursor: 0 }) } : {}),
      ...(isAll || options.ignored ? { ignored: {}, ...(isAll ? {} : { nextIgnoredCursor: 0 }) } : {}),
      ...(isAll || options.failed ? { failed: [], ...(isAll ? {} : { nextFailedCursor: 0 }) } : {}),
    };
  }

  readonly getProcessedChildrenValues = async (): Promise<Record<string, string>> => ({});
  readonly getIgnoredChildrenFailures = async (): Promise<Record<string, string>> => ({});
  readonly paginate = async () => ({ cursor: "0", items: [] as { id: string }[], total: 0, jobs: [] as JobJson[] });
  readonly getDeduplicationJobId = async () => null;
  readonly removeDeduplicationKey = async () => 0;
  readonly deleteDeduplicationKey = async () => 0;
  readonly setRateLimit = async () => refuseOperation("rateLimit (rate limits)");
  readonly getRateLimitTtl = async () => NO_RATE_LIMIT;
  readonly removeRateLimitKey = async () => 0;
  readonly getMetrics = async (): Promise<[string[], string[], number]> => [[], [], 0];

  /** Of an older BullMQ. */
  readonly removeDeprecatedPriorityKey = async () => 0;

  /** A job and its place are one here: none is ever orphaned. */
  readonly removeOrphanedJobs = async () => 0;
}
