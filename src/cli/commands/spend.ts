import type { SpendOptions } from "../../agent/reports/spend-agent.ts";
import type { CliCommand } from "../cli-command.ts";
import { parseHost } from "../output/host-name.ts";
import type { RunCommand } from "../program.ts";
import { formatSpendReport } from "../reports/spend-table.ts";

export function addSpendCommand(program: CliCommand, run: RunCommand): void {
  program
    .command("spend")
    .description("what each of some UTC days cost, over all sites and by site, as budgets per day count it")
    .option("--from <day>", "the first UTC day: 2026-11-20, today or yesterday (default: 30 days up to today)")
    .option("--to <day>", "with --from, the last UTC day, which is included (default: today)")
    .option("--site <host>", "only this site", parseHost)
    .examples([
      ["licet spend", "the last 30 days"],
      ["licet spend --from yesterday --site news.example", ""],
      ["licet spend --json | jq .totals", "for a program"],
    ])
    .action((flags: SpendOptions) =>
      run((session) => session.answerFromLedger((agent) => agent.spend(flags), formatSpendReport)),
    );
}
