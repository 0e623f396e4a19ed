import { resolve } from "node:path";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type { PlanOptions, PlanReport } from "../../agent/plans/plan-report.ts";
import { isLicetError, LicetError } from "../../errors.ts";
import type { Money } from "../../money/money.ts";
import { RUN_ORDERS, type RunOrder } from "../../policy/rule.ts";
import type { CliCommand } from "../cli-command.ts";
import { EXIT, type ExitCode, exitCodeOfPlan } from "../exit-code.ts";
import { toListInput } from "../input/list-argument.ts";
import { ORDER_SAYS, parseMoneyArgument, parseNumber, parseText } from "../input/parse-arguments.ts";
import { watchInterrupts } from "../interrupts.ts";
import { watchCounts } from "../progress/progress-counts.ts";
import { startProgress } from "../progress/progress-line.ts";
import { formatPlan } from "../reports/plan-summary.ts";
import type { Session } from "../session.ts";

/** A plan spends nothing. */
const NO_LIMITS = new Map<string, never>();

/** Pages that `--pages` shows without a number. */
const DEFAULT_PAGES = 20;

interface PlanFlags {
  readonly list?: string;
  readonly maxSpend?: Money;
  readonly maxPages?: number;
  readonly pages?: number | true;
  readonly order?: RunOrder;
  readonly out?: string;
  readonly expires?: string;
  readonly show?: string;
  readonly against?: string;
}

export function declarePlan(command: CliCommand): void {
  command
    .argument("[host...]", "sites (default: all configured ones)")
    .option("--list <file>", "plan the pages of a list, one a line or CSV, instead of walking catalogs; - is stdin")
    .option("--max-spend <amount>", 'plan no more than this, such as "5 USD"', parseMoneyArgument)
    .option("--max-pages <count>", "plan at most this many pages", parseNumber(INPUTS.plan.maxPages))
    .option(
      "--pages [count]",
      `show the first pages that would be bought, with their prices (default: ${DEFAULT_PAGES})`,
      parseNumber(INPUTS.plan.pages),
    )
    .choice("--order <order>", ORDER_SAYS, RUN_ORDERS)
    .option("--out <file>", "save the plan, to be approved and then bought: licet run --plan FILE")
    .option(
      "--expires <duration>",
      'how long the saved plan counts, such as "7d" (default: 24h)',
      parseText(INPUTS.plan.expires),
    )
    .option("--show <file>", "print a saved plan, one page a line; asks nobody, and needs no configuration")
    .option("--against <file>", "with --show: print only what the plan adds, drops and changes in money since this one")
    .examples([
      ["licet plan", "every configured site"],
      ["licet plan news.example --pages 100", "one site, with its first hundred pages"],
      ["licet plan --order cheapest", "what licet run --order cheapest would buy"],
      ['licet plan --list pages.csv --max-spend "20 USD"', "what of a list 20 USD would buy"],
      ["licet plan --json | jq .cost", "the cost, for a program"],
      ["licet plan --out plan.jsonl --expires 7d", "for somebody to approve"],
      ["licet plan --show plan.jsonl", "what it would buy, the same text each time: made for diff"],
      ["licet plan --show plan.jsonl --against old.jsonl", "what it adds, drops and changes in money"],
    ])
    .does((session, hosts: string[], flags: PlanFlags) => {
      const { show, against, ...others } = flags;
      if (show !== undefined) {
        const alone = hosts.length === 0 && Object.keys(others).length === 0;
        return showPlan(session, { show, against, alone });
      }
      if (against !== undefined) {
        throw new LicetError(
          "USAGE_INVALID",
          "--against compares a saved plan with an earlier one, and none is shown",
          {
            hint: "licet plan --show NEW --against OLD",
          },
        );
      }
      return plan(session, toPlanOptions(session, hosts, others));
    });
}

function toPlanOptions(
  { io }: Session,
  hosts: readonly string[],
  flags: Omit<PlanFlags, "show" | "against">,
): PlanOptions {
  const { pages, out, list, ...asked } = flags;
  if (flags.expires !== undefined && out === undefined) {
    throw new LicetError("USAGE_INVALID", "--expires says how long a saved plan counts, and no plan is saved", {
      hint: "Add --out FILE.",
    });
  }
  return {
    ...asked,
    hosts,
    list: list === undefined ? undefined : toListInput(io, list),
    pages: pages === true ? DEFAULT_PAGES : pages,
    out: out === undefined ? undefined : resolve(io.cwd, out),
  };
}

interface ShowFlags {
  readonly show: string;
  readonly against: string | undefined;
  /** Whether nothing else was asked for. */
  readonly alone: boolean;
}

async function showPlan(session: Session, { show, against, alone }: ShowFlags): Promise<ExitCode> {
  if (!alone) {
    throw new LicetError(
      "USAGE_INVALID",
      "--show prints a saved plan as it is, so it takes no sites and no other options",
      {
        hint: "licet plan --show FILE, or licet plan --show NEW --against OLD",
      },
    );
  }
  // Imported here, because a plan that is made needs none of it.
  if (against === undefined) {
    const { printSavedPlan } = await import("../reports/saved-plan-text.ts");
    await printSavedPlan(session, resolve(session.io.cwd, show));
  } else {
    const { printPlanComparison } = await import("../reports/plan-comparison-text.ts");
    await printPlanComparison(session, { show, against });
  }
  return EXIT.done;
}

/** Makes a plan and prints it. */
export function plan(session: Session, options: PlanOptions): Promise<ExitCode> {
  return session.withAgent(async (agent) => {
    const watch = watchCounts(agent, session.io.clock);
    const source = { counts: watch.counts, limits: { run: () => NO_LIMITS, site: () => NO_LIMITS } };
    const progress = startProgress(session.io, source, session.logging);
    const interrupts = watchInterrupts(session.io, {
      say: progress.log.warn,
      finishing: "requests in flight are being ended",
      farewell: () => "nothing was bought",
      clear: progress.clear,
    });
    const warnings = (event: { message: string }) => progress.log.warn(event.message);
    agent.on("warning", warnings);
    let report: PlanReport;
    try {
      report = await agent.plan({ ...options, signal: interrupts.signal });
    } catch (error) {
      throw interrupts.interrupted() && isLicetError(error, "INTERRUPTED") ? interruptedPlan() : error;
    } finally {
      agent.off("warning", warnings);
      watch.stop();
      interrupts.stop();
      await progress.stop();
    }
    if (interrupts.interrupted()) {
      throw interruptedPlan();
    }
    await session.print(report, (layout) => formatPlan(report, layout));
    return exitCodeOfPlan(report);
  });
}

/** Half a plan would look like a whole one. */
function interruptedPlan(): LicetError {
  return new LicetError("INTERRUPTED", "the plan was interrupted; nothing was bought", {
    hint: "Start it again: licet plan",
  });
}
