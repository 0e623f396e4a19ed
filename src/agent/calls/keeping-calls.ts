/** The calls that keep the ledger: what is deleted from it, and copies of it. */
import { isFlag, isFunction, isSignal, isText, isTexts } from "../../check-options.ts";
import type { CopyOptions } from "../copies/backup-report.ts";
import { pruneAgent } from "../prune-agent.ts";
import type { PruneOptions } from "../prune-report.ts";
import type { PurgeOptions } from "../rights/rights-report.ts";
import { call, options, text } from "./call.ts";
import { isDuration } from "./value-checks.ts";

const takeCopyOptions = options<CopyOptions>({ force: isFlag, signal: isSignal, onProgress: isFunction });

export const KEEPING_CALLS = {
  prune: call(
    [options<PruneOptions>({ olderThan: isDuration("90d"), dryRun: isFlag, trustClock: isFlag })],
    ({ resources }, asked) => pruneAgent(resources, asked),
  ),
  purge: call(
    [options<PurgeOptions>({ hosts: isTexts, urls: isTexts, reason: isText, dryRun: isFlag, trustClock: isFlag })],
    async ({ resources }, asked) => (await import("../rights/purge-agent.ts")).purgeAgent(resources, asked),
  ),
  backup: call([text("file"), takeCopyOptions], async ({ resources }, file, asked) =>
    (await import("../copies/backup-agent.ts")).backupAgent(resources, file, asked),
  ),
  restore: call([text("file"), takeCopyOptions], async ({ resources }, file, asked) =>
    (await import("../copies/backup-agent.ts")).restoreAgent(resources, file, asked),
  ),
  acceptRestored: call(
    [options<{ readonly dryRun?: boolean }>({ dryRun: isFlag })],
    async ({ resources }, { dryRun = false }) =>
      (await import("../copies/backup-agent.ts")).acceptRestoredAgent(resources, { dryRun }),
  ),
};
