import { INPUTS } from "../../agent/calls/inputs.ts";
import type { ScheduleFilter } from "../../agent/reports/schedule-agent.ts";
import type { CliCommand } from "../cli-command.ts";
import { parseHost } from "../output/host-name.ts";
import type { RunCommand } from "../program.ts";
import { formatSchedules } from "../reports/schedule-table.ts";

export function addScheduleCommand(program: CliCommand, run: RunCommand): void {
  program
    .command("schedule")
    .description("the next slots of each schedule, and the last ones with what came of them")
    .limit("the most next slots, and the most past ones, of each schedule (default: 5)", INPUTS.schedule.limit)
    .option("--site <host>", "only the schedule of this site", parseHost)
    .examples([
      ["licet schedule", ""],
      ["licet schedule --site news.example --limit 20", "more of one site"],
      ["licet schedule --json | jq '.schedules[].next[0]'", "for a program: when each schedule is due next"],
    ])
    .action((flags: ScheduleFilter) =>
      run((session) => session.answerFromLedger((agent) => agent.schedule(flags), formatSchedules)),
    );
}
