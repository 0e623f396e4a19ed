import { type Command, Option } from "commander";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type { DenialsOptions } from "../../agent/reports/denials-report.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { examples, parseNumber, parseText } from "../input/parse-arguments.ts";
import { parseHost } from "../output/host-name.ts";
import type { RunCommand } from "../program.ts";
import { formatDenials } from "../reports/denials-table.ts";
import type { Session } from "../session.ts";

export function addDenialsCommand(program: Command, run: RunCommand): void {
  program
    .command("denials")
    .description("why pages were not bought, by reason and rule: of a run, a site, some days")
    .option("--run <run>", "only this run (default: the runs that began in these days)", parseText(INPUTS.denials.run))
    .option("--from <day>", "the first UTC day: 2026-11-20, today or yesterday (default: 30 days up to today)")
    .option("--to <day>", "with --from, the last UTC day, which is included (default: today)")
    .option("--site <host>", "only this site", parseHost)
    .addOption(
      new Option("--reason <reason>", "only the rules and pages of this reason").choices(
        INPUTS.denials.reason.schema.options,
      ),
    )
    .option("--limit <count>", "at most so many pages (default: 50)", parseNumber(INPUTS.denials.limit))
    .option("--cursor <cursor>", "read on behind an earlier page: its nextCursor", parseText(INPUTS.denials.cursor))
    .addHelpText(
      "after",
      examples([
        ["licet denials", "of the last 30 days"],
        ["licet denials --site news.example --reason no_rule_matched", "its pages that no rule wanted"],
        ["licet denials --from yesterday --json | jq .reasons", "for a program"],
      ]),
    )
    .action((flags: DenialsOptions) => run((session) => showDenials(session, flags)));
}

function showDenials(session: Session, options: DenialsOptions): Promise<ExitCode> {
  return session.withLedger(async (agent) => {
    const report = await agent.denials(options);
    await session.print(report, (layout) => formatDenials(report, layout));
    return EXIT.done;
  });
}
