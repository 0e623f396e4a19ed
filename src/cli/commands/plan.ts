import type { Command } from "commander";
import { MAX_NAMED_PAGES, type PlanOptions, type PlanReport } from "../../agent/plan-report.ts";
import { isLicetError, LicetError } from "../../errors.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { watchInterrupts } from "../interrupts.ts";
import { examples, parseCountUpTo } from "../parse-arguments.ts";
import { formatPlan } from "../plan-summary.ts";
import type { RunCommand } from "../program.ts";
import { watchCounts } from "../progress-counts.ts";
import { startProgress } from "../progress-line.ts";
import type { Session } from "../session.ts";

/** Pages that `--pages` shows without a number. */
const DEFAULT_PAGES = 20;

interface PlanFlags {
  readonly pages?: number | true;
}

export function addPlanCommand(program: Command, run: RunCommand): void {
  program
    .command("plan")
    .description(
      "walk, quote and decide: what would be bought, why the rest would not, and what it costs; spends nothing",
    )
    .argument("[host...]", "sites (default: all configured ones)")
    .option(
      "--pages [count]",
      `show the first pages that would be bought, with their prices (default: ${DEFAULT_PAGES})`,
      parseCountUpTo(MAX_NAMED_PAGES),
    )
    .addHelpText(
      "after",
      examples([
        ["licet plan", "every configured site"],
        ["licet plan news.example --pages 100", "one site, with its first hundred pages"],
        ["licet plan --json | jq .cost", "the cost, for a program"],
      ]),
    )
    .action((hosts: string[], { pages }: PlanFlags) =>
      run((session) =>
        plan(session, { hosts, ...(pages === undefined ? {} : { pages: pages === true ? DEFAULT_PAGES : pages }) }),
      ),
    );
}

function plan(session: Session, options: Pick<PlanOptions, "hosts" | "pages">): Promise<ExitCode> {
  return session.withAgent(async (agent) => {
    const watch = watchCounts(agent, session.io.clock);
    const source = { counts: watch.counts, limits: () => new Map() };
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
    return EXIT.done;
  });
}

/** Half a plan would look like a whole one. */
function interruptedPlan(): LicetError {
  return new LicetError("INTERRUPTED", "the plan was interrupted; nothing was bought", {
    hint: "Start it again: licet plan",
  });
}
