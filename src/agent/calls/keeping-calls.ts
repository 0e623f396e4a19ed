/** The calls that keep the ledger: what is deleted from it, and copies of it. */
import { pruneAgent } from "../prune/prune-agent.ts";
import { acts, argument, options, withResources } from "./call.ts";
import { text } from "./fields.ts";

const file = argument<string>("file", text);

export const KEEPING_CALLS = {
  prune: acts([options("prune")], withResources(pruneAgent)),
  purge: acts([options("purge")], async ({ resources }, asked) =>
    (await import("../rights/purge-agent.ts")).purgeAgent(resources, asked),
  ),
  backup: acts([file, options("backup")], async ({ resources }, file, asked) =>
    (await import("../copies/backup-agent.ts")).backupAgent(resources, file, asked),
  ),
  restore: acts([file, options("backup")], async ({ resources }, file, asked) =>
    (await import("../copies/backup-agent.ts")).restoreAgent(resources, file, asked),
  ),
  acceptRestored: acts([options("acceptRestored")], async ({ resources }, asked) =>
    (await import("../copies/backup-agent.ts")).acceptRestoredAgent(resources, asked),
  ),
};
