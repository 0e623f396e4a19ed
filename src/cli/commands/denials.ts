import { INPUTS } from "../../agent/calls/inputs.ts";
import type { DenialsOptions } from "../../agent/reports/denials-agent.ts";
import type { CliCommand } from "../cli-command.ts";
import { parseText } from "../input/parse-arguments.ts";
import { parseHost } from "../output/host-name.ts";
import type { RunCommand } from "../program.ts";
import { formatDenials } from "../reports/denials-table.ts";

export function addDenialsCommand(program: CliCommand, run: RunCommand): void {
  program
    .command("denials")
    .description("why pages were not bought, by reason and rule: of a run, a site, some days")
    .option("--run <run>", "only this run (default: the runs that began in these days)", parseText(INPUTS.denials.run))
    .option("--from <day>", "the first UTC day: 2026-11-20, today or yesterday (default: 30 days up to today)")
    .option("--to <day>", "with --from, the last UTC day, which is included (default: today)")
    .option("--site <host>", "only this site", parseHost)
    .choice("--reason <reason>", "only the rules and pages of this reason", INPUTS.denials.reason.schema.options)
    .limit("at most so many pages (default: 50)", INPUTS.denials.limit)
    .cursor(INPUTS.denials.cursor)
    .examples([
      ["licet denials", "of the last 30 days"],
      ["licet denials --site news.example --reason no_rule_matched", "its pages that no rule wanted"],
      ["licet denials --from yesterday --json | jq .reasons", "for a program"],
    ])
    .action((flags: DenialsOptions) =>
      run((session) => session.answerFromLedger((agent) => agent.denials(flags), formatDenials)),
    );
}
