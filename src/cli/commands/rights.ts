import type { Command } from "commander";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type { RightsOptions } from "../../agent/rights/rights-calendar.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { examples, parseText } from "../input/parse-arguments.ts";
import type { RunCommand } from "../program.ts";
import { formatRights } from "../reports/rights-table.ts";
import type { Session } from "../session.ts";

export function addRightsCommand(program: Command, run: RunCommand): void {
  program
    .command("rights")
    .description("when the rights to stored pages end, day by day, and what happens then")
    .option("--within <duration>", "how far to look (default: 90d)", parseText(INPUTS.rights.within))
    .addHelpText(
      "after",
      examples([
        ["licet rights", "the next 90 days"],
        ["licet rights --within 30d --json | jq .days", "for a program"],
      ]),
    )
    .action((flags: RightsOptions) => run((session) => showRights(session, flags)));
}

function showRights(session: Session, options: RightsOptions): Promise<ExitCode> {
  return session.withLedger(async (agent) => {
    const calendar = await agent.rights(options);
    await session.print(calendar, (layout) => formatRights(calendar, layout));
    return EXIT.done;
  });
}
