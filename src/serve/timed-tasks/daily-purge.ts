/** Once a day, the service removes content whose rights ended under `onExpiry: purge`. Hash, license, price and uses stay as evidence. */
import { SERVICE } from "../../act/act.ts";
import type { ServiceContext } from "../service-part.ts";
import { createTimedTask, type TimedTask } from "./timed-task.ts";

const DAY_MS = 86_400_000;

export function createDailyPurge({ agent, log, resources }: ServiceContext): TimedTask {
  return createTimedTask({
    name: "daily purge",
    everyMs: DAY_MS,
    clock: resources.clock,
    log,
    work: async () => {
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
    },
  });
}
