import type { Command } from "commander";
import { planName } from "../../agent/calls/fields.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type { PlanDetailsOptions } from "../../agent/plans/plan-list.ts";
import { LicetError } from "../../errors.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { examples, parseNumber, parseText } from "../input/parse-arguments.ts";
import type { RunCommand } from "../program.ts";
import type { Session } from "../session.ts";

export function addPlansCommand(program: Command, run: RunCommand): void {
  program
    .command("plans")
    .description(
      "the saved plans of serve.plans: what each may cost, whether it can be bought, who approved it; or one",
    )
    .argument("[name]", "one plan: its pages, and what is left of it", parseText(planName))
    .option(
      "--against <name>",
      "of one plan: what it changes since this one, in money",
      parseText(INPUTS.planDetails.against),
    )
    .option("--limit <count>", "at most so many plans, or pages of one (default: 50)", parseNumber(INPUTS.plans.limit))
    .option("--cursor <cursor>", "read on behind an earlier page: its nextCursor", parseText(INPUTS.plans.cursor))
    .addHelpText(
      "after",
      examples([
        ["licet plans", "those that wait to be approved, and those that were"],
        ["licet plans may.jsonl --against april.jsonl --json", "one plan and its difference, for a program"],
      ]),
    )
    .action((name: string | undefined, flags: PlanDetailsOptions) => run((session) => showPlans(session, name, flags)));
}

function showPlans(
  session: Session,
  name: string | undefined,
  { against, ...page }: PlanDetailsOptions,
): Promise<ExitCode> {
  if (name === undefined && against !== undefined) {
    throw new LicetError("USAGE_INVALID", "--against compares one plan with another one, and none is named", {
      hint: "licet plans NEW.jsonl --against OLD.jsonl",
    });
  }
  return session.withLedger(async (agent) => {
    // It loads what compares plans, in a database: the help does not need that.
    const { formatPlanDetails, formatPlanList } = await import("../reports/plan-list-text.ts");
    if (name === undefined) {
      const list = await agent.plans(page);
      await session.print(list, (layout) => formatPlanList(list, layout));
    } else {
      const details = await agent.planDetails(name, { against, ...page });
      await session.print(details, (layout) => formatPlanDetails(details, layout));
    }
    return EXIT.done;
  });
}
