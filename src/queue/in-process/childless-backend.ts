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
  async addFlow(): Promise<never> {
    throw refuseOperation("addFlow (flows)");
  }

  async moveToWaitingChildren(): Promise<never> {
    throw refuseOperation("moveToWaitingChildren (flows)");
  }

  async removeChildDependency(): Promise<never> {
    throw refuseOperation("removeChildDependency (flows)");
  }

  async removeUnprocessedChildren(): Promise<void> {}

  async getDependencyCounts(_jobId: string, types: string[]): Promise<number[]> {
    return types.map(() => 0);
  }

  async getDependencies(_jobId: string, options: DependenciesOpts = {}) {
    const isAll = Object.keys(options).length === 0;
    return {
      ...(isAll || options.processed ? { processed: {}, ...(isAll ? {} : { nextProcessedCursor: 0 }) } : {}),
      ...(isAll || options.unprocessed ? { unprocessed: [], ...(isAll ? {} : { nextUnprocessedCursor: 0 }) } : {}),
      ...(isAll || options.ignored ? { ignored: {}, ...(isAll ? {} : { nextIgnoredCursor: 0 }) } : {}),
      ...(isAll || options.failed ? { failed: [], ...(isAll ? {} : { nextFailedCursor: 0 }) } : {}),
    };
  }

  async getProcessedChildrenValues(): Promise<Record<string, string>> {
    return {};
  }

  async getIgnoredChildrenFailures(): Promise<Record<string, string>> {
    return {};
  }

  async paginate() {
    return { cursor: "0", items: [] as { id: string }[], total: 0, jobs: [] as JobJson[] };
  }

  async getDeduplicationJobId(): Promise<null> {
    return null;
  }

  async removeDeduplicationKey(): Promise<number> {
    return 0;
  }

  async deleteDeduplicationKey(): Promise<number> {
    return 0;
  }

  async setRateLimit(): Promise<never> {
    throw refuseOperation("rateLimit (rate limits)");
  }

  async getRateLimitTtl(): Promise<number> {
    return NO_RATE_LIMIT;
  }

  async removeRateLimitKey(): Promise<number> {
    return 0;
  }

  async getMetrics(): Promise<[string[], string[], number]> {
    return [[], [], 0];
  }

  /** Of an older BullMQ. */
  async removeDeprecatedPriorityKey(): Promise<number> {
    return 0;
  }

  /** A job and its place are one here: none is ever orphaned. */
  async removeOrphanedJobs(): Promise<number> {
    return 0;
  }
}
