import type { Command } from "commander";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type { ScheduleFilter } from "../../agent/reports/schedule-report.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { examples, parseNumber } from "../input/parse-arguments.ts";
import { parseHost } from "../output/host-name.ts";
import type { RunCommand } from "../program.ts";
import { formatSchedules } from "../reports/schedule-table.ts";
import type { Session } from "../session.ts";

export function addScheduleCommand(program: Command, run: RunCommand): void {
  program
    .command("schedule")
    .description("the next slots of each schedule, and the last ones with what came of them")
    .option(
      "--limit <count>",
      "the most next slots, and the most past ones, of each schedule (default: 5)",
      parseNumber(INPUTS.schedule.limit),
    )
    .option("--site <host>", "only the schedule of this site", parseHost)
    .addHelpText(
      "after",
      examples([
        ["licet schedule", ""],
        ["licet schedule --site news.example --limit 20", "more of one site"],
        ["licet schedule --json | jq '.schedules[].next[0]'", "for a program: when each schedule is due next"],
      ]),
    )
    .action((flags: ScheduleFilter) => run((session) => showSchedules(session, flags)));
}

function showSchedules(session: Session, filter: ScheduleFilter): Promise<ExitCode> {
  return session.withLedger(async (agent) => {
    const report = await agent.schedule(filter);
    await session.print(report, (layout) => formatSchedules(report, layout));
    return EXIT.done;
  });
}
