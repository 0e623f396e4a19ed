/** Once a day, the service deletes old rows that only explain: its ledger must not grow without end. Facts are never deleted. */
import type { PruneReport } from "../../agent/prune/prune-agent.ts";
import type { ServiceContext } from "../service-part.ts";
import { createTimedTask, type TimedTask } from "./timed-task.ts";

const DAY_MS = 86_400_000;

export function createDailyPrune({ agent, log, resources }: ServiceContext): TimedTask {
  return createTimedTask({
    name: "daily prune",
    everyMs: DAY_MS,
    clock: resources.clock,
    log,
    work: async () => {
      const { dryRun: _, before, ...counts }: PruneReport = await agent.prune();
      if (Object.values(counts).some((count) => count > 0)) {
        log.info(`deleted rows that only explain what ended before ${before}`, { before, ...counts });
      }
    },
  });
}
