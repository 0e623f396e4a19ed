import type { Command } from "commander";
import type { StatusReport } from "../../agent/agent.ts";
import { processLabel } from "../../agent/this-process.ts";
import { addMicros, type Micros } from "../../money/micros.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { formatAmount, formatInstant, formatSpend } from "../format-values.ts";
import { withFormerStatusNames } from "../former-names.ts";
import { formatOpenItems } from "../open-item-table.ts";
import { examples } from "../parse-arguments.ts";
import { plainText } from "../plain-text.ts";
import type { RunCommand } from "../program.ts";
import { section } from "../report-sections.ts";
import { formatRun } from "../run-summary.ts";
import type { Session } from "../session.ts";
import { textTable } from "../text-table.ts";

export function addStatusCommand(program: Command, run: RunCommand): void {
  program
    .command("status")
    .description("runs, budgets, spend, pending usage, purchases in doubt; or one run")
    .argument("[run]", "a run's id")
    .addHelpText(
      "after",
      examples([
        ["licet status", ""],
        ["licet status run_0mi5c2k1x8f3a2b4c5d6", "one run"],
        ["licet status --json | jq .inDoubt", "for a program"],
      ]),
    )
    .action((runId: string | undefined) => run((session) => status(session, runId)));
}

function status(session: Session, runId: string | undefined): Promise<ExitCode> {
  return session.withAgent(async (agent) => {
    if (runId === undefined) {
      const report = await agent.status();
      await session.print(withFormerStatusNames(report), () => formatStatus(report));
    } else {
      const report = await agent.runStatus(runId);
      await session.print(report, () => formatRun(report));
    }
    return EXIT.done;
  });
}

export function formatStatus(report: StatusReport): string {
  const { runs, spend, usage, inDoubt, openItems, pagesStored } = report;
  const runRows = runs.map(({ runId, state, startedAt, endedAt, pagesAcquired }) => [
    runId,
    state,
    formatInstant(startedAt),
    formatInstant(endedAt),
    String(pagesAcquired),
  ]);
  const doubtRows = inDoubt.map(({ purchaseId, url, quotedMicros, currency, reason, at, detail }) => [
    String(purchaseId),
    formatAmount(quotedMicros, currency),
    reason,
    formatInstant(at),
    url,
    detail,
  ]);
  return [
    `${pagesStored} pages stored.\n`,
    `Spend: ${plainText(formatSpend(spend))}\n`,
    `Uses:  ${usage.recorded} recorded, ${usage.reported} reported, ${usage.pending} pending`,
    usage.rejected === 0 ? "" : `, ${usage.rejected} rejected`,
    usage.needsReconcile === 0 ? "" : `, ${usage.needsReconcile} to reconcile`,
    "\n",
    ...section("Budgets", formatBudgets(report.budgets)),
    ...section(
      "Not ended: the next licet run takes over killed runs and resumes interrupted ones; licet cancel RUN cancels one",
      formatUnfinished(report.unfinished),
    ),
    ...section(
      "Runs (UTC)",
      runRows.length === 0
        ? ""
        : textTable(["run", "state", "started", "ended", "pages"], runRows, ["left", "left", "left", "left", "right"]),
    ),
    ...section(
      "In doubt: perhaps charged, content lost. Resolve each with licet resolve PURCHASE --charged | --not-charged",
      doubtRows.length === 0
        ? ""
        : textTable(["purchase", "quoted", "reason", "since", "page", "detail"], doubtRows, ["right", "right"]),
    ),
    ...section(
      "Open items: ask the gateway's operator. Close each with licet resolve ITEM --close, a report to reconcile with licet resolve REPORT --taken | --not-taken",
      formatOpenItems(openItems),
    ),
  ].join("");
}

function formatUnfinished(unfinished: StatusReport["unfinished"]): string {
  const rows = unfinished.map(({ runId, state, process, isAlive, hosts, reserved, started, setAsideMicros }) => [
    runId,
    state === "running" ? (isAlive ? `active in ${processLabel(process ?? "?")}` : "died") : state,
    hosts.join(", "),
    String(reserved),
    String(started),
    Object.entries(setAsideMicros)
      .map(([currency, micros]) => formatAmount(micros, currency))
      .join(", "),
  ]);
  return rows.length === 0
    ? ""
    : textTable(["run", "state", "sites", "reserved", "sent", "amount"], rows, [
        "left",
        "left",
        "left",
        "right",
        "right",
      ]);
}

function formatBudgets(budgets: StatusReport["budgets"]): string {
  if (budgets.length === 0) {
    return "";
  }
  // Fees count against a budget like their charges. The column is hidden when there are no fees.
  const hasFees = budgets.some(({ balance }) => balance !== null && balance.feeMicros > 0);
  const rows = budgets.map(({ label, budget, balance, leftMicros, overMicros }) => {
    const amount = (micros: Micros | null) => formatAmount(micros, budget.currency);
    const limit = amount(budget.limitMicros);
    if (balance === null) {
      return [label, "per run", ...(hasFees ? [""] : []), "", "", "", limit];
    }
    const { settledMicros, feeMicros, inDoubtMicros, reservedMicros } = balance;
    const spent = amount(addMicros(settledMicros, feeMicros));
    const left = overMicros === null || overMicros === 0 ? amount(leftMicros) : `over by ${amount(overMicros)}`;
    const fees = hasFees ? [amount(feeMicros)] : [];
    return [label, spent, ...fees, amount(inDoubtMicros), amount(reservedMicros), left, limit];
  });
  const head = ["budget", "spent", ...(hasFees ? ["fees in it"] : []), "in doubt", "set aside", "left", "limit"];
  return textTable(head, rows, ["left", ...head.slice(1).map(() => "right" as const)]);
}
