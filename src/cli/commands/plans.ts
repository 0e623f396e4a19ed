import { planName } from "../../agent/calls/fields.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type { PlanDetailsOptions } from "../../agent/plans/plan-list.ts";
import { LicetError } from "../../errors.ts";
import type { CliCommand } from "../cli-command.ts";
import type { ExitCode } from "../exit-code.ts";
import { parseText } from "../input/parse-arguments.ts";
import type { Session } from "../session.ts";

export function declarePlans(command: CliCommand): void {
  command
    .argument("[name]", "one plan: its pages, and what is left of it", parseText(planName))
    .option(
      "--against <name>",
      "of one plan: what it changes since this one, in money",
      parseText(INPUTS.planDetails.against),
    )
    .limit("at most so many plans, or pages of one (default: 50)", INPUTS.plans.limit)
    .cursor(INPUTS.plans.cursor)
    .examples([
      ["licet plans", "those that wait to be approved, and those that were"],
      ["licet plans may.jsonl --against april.jsonl --json", "one plan and its difference, for a program"],
    ])
    .does(showPlans);
}

async function showPlans(
  session: Session,
  name: string | undefined,
  { against, ...page }: PlanDetailsOptions,
): Promise<ExitCode> {
  if (name === undefined && against !== undefined) {
    throw new LicetError("USAGE_INVALID", "--against compares one plan with another one, and none is named", {
      hint: "licet plans NEW.jsonl --against OLD.jsonl",
    });
  }
  // It loads what compares plans, in a database: the help does not need that.
  const { formatPlanDetails, formatPlanList } = await import("../reports/plan-list-text.ts");
  return name === undefined
    ? session.answerFromLedger((agent) => agent.plans(page), formatPlanList)
    : session.answerFromLedger((agent) => agent.planDetails(name, { against, ...page }), formatPlanDetails);
}
