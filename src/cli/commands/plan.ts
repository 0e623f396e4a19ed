import type { Command } from "commander";
import type { PlannedPages, PlanReport } from "../../agent/agent.ts";
import { isLicetError, LicetError } from "../../errors.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { formatAmount, formatDuration, plural } from "../format-values.ts";
import { watchInterrupts } from "../interrupts.ts";
import { denialTable, type PageColumn, pageCountsTable } from "../page-counts-table.ts";
import { examples } from "../parse-arguments.ts";
import { plainText } from "../plain-text.ts";
import type { RunCommand } from "../program.ts";
import { watchCounts } from "../progress-counts.ts";
import { startProgress } from "../progress-line.ts";
import { section } from "../report-sections.ts";
import type { Session } from "../session.ts";
import { textTable } from "../text-table.ts";

export function addPlanCommand(program: Command, run: RunCommand): void {
  program
    .command("plan")
    .description(
      "walk, quote and decide: what would be bought, why the rest would not, and what it costs; spends nothing",
    )
    .argument("[host...]", "sites (default: all configured ones)")
    .addHelpText(
      "after",
      examples([
        ["licet plan", "every configured site"],
        ["licet plan news.example", "one site"],
        ["licet plan --json | jq .cost", "the cost, for a program"],
      ]),
    )
    .action((hosts: string[]) => run((session) => plan(session, hosts)));
}

function plan(session: Session, hosts: readonly string[]): Promise<ExitCode> {
  return session.withAgent(async (agent) => {
    const watch = watchCounts(agent);
    const progress = startProgress(session.io, { counts: watch.counts, limits: () => new Map() }, session.json);
    const interrupts = watchInterrupts(session.io, progress.log.info, () => null);
    const warnings = (event: { message: string }) => progress.log.warn(event.message);
    agent.on("warning", warnings);
    let report: PlanReport;
    try {
      report = await agent.plan({ hosts, signal: interrupts.signal });
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
    await session.print(report, () => formatPlan(report));
    return EXIT.done;
  });
}

/** Half a plan would look like a whole one. */
function interruptedPlan(): LicetError {
  return new LicetError("INTERRUPTED", "the plan was interrupted; nothing was bought", {
    hint: "Start it again: licet plan",
  });
}

const WOULD_BUY: readonly PageColumn<PlannedPages>[] = [{ title: "would buy", count: ({ approved }) => approved }];

export function formatPlan(report: PlanReport): string {
  const { sites, pages, denials, cost, budgets, durationMs } = report;
  const costRows = Object.entries(cost).map(([currency, { micros, pages: count }]) => [
    formatAmount(micros, currency),
    `for ${plural(count, "page")}`,
  ]);
  return [
    pageCountsTable(sites, pages, WOULD_BUY),
    ...sites.flatMap(({ host, warning }) => (warning === null ? [] : `  ${plainText(`${host}: ${warning}`)}\n`)),
    `\nCost of ${plural(pages.approved, "page")}:\n`,
    costRows.length === 0 ? "  nothing\n" : textTable(null, costRows, ["right"]),
    ...section("Denied", denialTable(denials)),
    ...section("Budgets", formatBudgets(budgets)),
    `\nNothing was reserved or spent. It took ${formatDuration(durationMs)}.\n`,
  ].join("");
}

function formatBudgets(budgets: PlanReport["budgets"]): string {
  const rows = budgets.map(({ label, budget, spentMicros, plannedMicros, leftMicros, exhausted }) => [
    label,
    ...[spentMicros, plannedMicros, leftMicros, budget.limitMicros].map((micros) =>
      formatAmount(micros, budget.currency),
    ),
    exhausted ? "runs out" : "",
  ]);
  if (rows.length === 0) {
    return "";
  }
  return textTable(["budget", "spent", "planned", "left", "limit", ""], rows, [
    "left",
    "right",
    "right",
    "right",
    "right",
  ]);
}
