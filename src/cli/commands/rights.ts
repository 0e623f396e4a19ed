import { INPUTS } from "../../agent/calls/inputs.ts";
import type { RightsOptions } from "../../agent/rights/rights-agent.ts";
import type { CliCommand } from "../cli-command.ts";
import { parseText } from "../input/parse-arguments.ts";
import type { RunCommand } from "../program.ts";
import { formatRights } from "../reports/rights-table.ts";

export function addRightsCommand(program: CliCommand, run: RunCommand): void {
  program
    .command("rights")
    .description("when the rights to stored pages end, day by day, and what happens then")
    .option("--within <duration>", "how far to look (default: 90d)", parseText(INPUTS.rights.within))
    .examples([
      ["licet rights", "the next 90 days"],
      ["licet rights --within 30d --json | jq .days", "for a program"],
    ])
    .action((flags: RightsOptions) =>
      run((session) => session.answerFromLedger((agent) => agent.rights(flags), formatRights)),
    );
}
