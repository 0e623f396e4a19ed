/** What the service removes once a day. Facts are never deleted. */
import { SERVICE } from "../../act/act.ts";
import type { PruneReport } from "../../agent/prune/prune-agent.ts";
import type { ServiceContext } from "../service-part.ts";
import { createTimedTask, type TimedTask } from "./timed-task.ts";

const DAY_MS = 86_400_000;

export function createDailyTasks({ agent, log, resources: { clock } }: ServiceContext): readonly TimedTask[] {
  /** Old rows that only explain: the ledger must not grow without end. */
  async function prune(): Promise<void> {
    const { dryRun: _, before, ...counts }: PruneReport = await agent.prune();
    if (Object.values(counts).some((count) => count > 0)) {
      log.info(`deleted rows that only explain what ended before ${before}`, { before, ...counts });
    }
  }

  /** Content whose rights ended under `onExpiry: purge`. Hash, license, price and uses stay as evidence. */
  async function purge(): Promise<void> {
    const { versions, cleaning } = await agent.purge({ by: SERVICE });
    if (versions > 0) {
      log.info(`removed the content of ${versions} versions of pages, whose rights ended`, { versions });
    }
    if (cleaning?.state === "due") {
      log.warn(
        "removed content may still be readable in unused room of the ledger's file: run licet purge while the service is stopped",
        { ...cleaning },
      );
    }
  }

  return [
    createTimedTask({ name: "daily prune", everyMs: DAY_MS, clock, log, work: prune }),
    createTimedTask({ name: "daily purge", everyMs: DAY_MS, clock, log, work: purge }),
  ];
}
