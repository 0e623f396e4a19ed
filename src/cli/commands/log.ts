import { INPUTS } from "../../agent/calls/inputs.ts";
import type { ActLog, LogOptions } from "../../agent/reports/log-agent.ts";
import type { CliCommand } from "../cli-command.ts";
import { type Layout, PLAIN_LAYOUT } from "../output/layout.ts";
import { formatActs } from "../reports/act-table.ts";

export function declareLog(command: CliCommand): void {
  command
    .limit("at most so many (default: 50)", INPUTS.log.limit)
    .cursor(INPUTS.log.cursor)
    .examples([
      ["licet log", ""],
      ["licet log --limit 1000 --json", "for a program"],
    ])
    .does((session, flags: LogOptions) => session.answerFromLedger((agent) => agent.log(flags), formatLog));
}

export function formatLog({ acts, nextCursor }: ActLog, layout: Layout = PLAIN_LAYOUT): string {
  if (acts.length === 0) {
    return "Nobody has resolved, closed, purged, accepted, stopped or cancelled anything.\n";
  }
  const more = nextCursor === null ? "" : `Older ones: licet log --cursor ${nextCursor}\n`;
  return `${formatActs(acts, layout)}${more}`;
}
