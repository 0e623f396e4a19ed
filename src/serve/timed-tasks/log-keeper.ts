/**
 * Keeps the ledger's write-ahead log short. SQLite moves the log into the file by itself, but does not shorten it: the log keeps the size of its
 * longest burst. When no run is at work, nobody waits for the few milliseconds that it takes.
 */
import type { ServiceContext, ServicePart } from "../service-part.ts";
import { createTimedTask } from "./timed-task.ts";

const EVERY_MS = 60_000;

export function createLogKeeper({
  resources,
  runs,
  log,
}: Pick<ServiceContext, "resources" | "runs" | "log">): ServicePart {
  return createTimedTask({
    name: "shortening of the ledger's write-ahead log",
    everyMs: EVERY_MS,
    clock: resources.clock,
    log,
    work: async () => {
      if (runs.live().length === 0) {
        await (await resources.ledger("existing")).shortenLog();
      }
    },
  });
}
