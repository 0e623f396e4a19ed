import type { Command } from "commander";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type { ActLog, LogOptions } from "../../agent/reports/act-log.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { examples, parseNumber, parseText } from "../input/parse-arguments.ts";
import { type Layout, PLAIN_LAYOUT } from "../output/layout.ts";
import type { RunCommand } from "../program.ts";
import { formatActs } from "../reports/act-table.ts";
import type { Session } from "../session.ts";

export function addLogCommand(program: Command, run: RunCommand): void {
  program
    .command("log")
    .description("who decided what, the newest first: doubts resolved, items closed, content purged, runs stopped")
    .option("--limit <count>", "at most so many (default: 50)", parseNumber(INPUTS.log.limit))
    .option("--cursor <cursor>", "read on behind an earlier page: its nextCursor", parseText(INPUTS.log.cursor))
    .addHelpText(
      "after",
      examples([
        ["licet log", ""],
        ["licet log --limit 1000 --json", "for a program"],
      ]),
    )
    .action((flags: LogOptions) => run((session) => log(session, flags)));
}

function log(session: Session, flags: LogOptions): Promise<ExitCode> {
  return session.withLedger(async (agent) => {
    const acts = await agent.log(flags);
    await session.print(acts, (layout) => formatLog(acts, layout));
    return EXIT.done;
  });
}

export function formatLog({ acts, nextCursor }: ActLog, layout: Layout = PLAIN_LAYOUT): string {
  if (acts.length === 0) {
    return "Nobody has resolved, closed, purged, accepted, stopped or cancelled anything.\n";
  }
  const more = nextCursor === null ? "" : `Older ones: licet log --cursor ${nextCursor}\n`;
  return `${formatActs(acts, layout)}${more}`;
}
