import { DEFAULT_AGE, type PruneOptions, type PruneReport } from "../../agent/prune/prune-agent.ts";
import type { CliCommand } from "../cli-command.ts";
import { parseAge, TRUST_CLOCK } from "../input/parse-arguments.ts";
import { plural } from "../output/format-values.ts";

export function declarePrune(command: CliCommand): void {
  command
    .option("--older-than <duration>", `what ended longer ago than this (default: ${DEFAULT_AGE})`, parseAge)
    .option("--trust-clock", TRUST_CLOCK)
    .option("--dry-run", "show what would be deleted, and delete nothing")
    .examples([
      ["licet prune --dry-run", "what would be deleted"],
      ["licet prune --older-than 30d", ""],
    ])
    .does((session, flags: PruneOptions) => session.answerFromAgent((agent) => agent.prune(flags), formatPruned));
}

export function formatPruned({
  dryRun,
  before,
  denials,
  runs,
  slots,
  hints,
  alerts,
  examples: entries,
}: PruneReport): string {
  const what = [
    plural(denials, "denial"),
    plural(runs, "run that bought nothing", "runs that bought nothing"),
    plural(entries, "example of a bad catalog entry", "examples of bad catalog entries"),
    plural(hints, "notification"),
    plural(alerts, "alert"),
    plural(slots, "slot of a schedule", "slots of schedules"),
  ].join(", ");
  return `${dryRun ? "Would delete" : "Deleted"} what ended before ${before}: ${what}.\n`;
}
