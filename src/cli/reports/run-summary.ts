/** The text that `licet run` and `licet status RUN` print about a run. */

import type { MissedPage, PlanOutcome } from "../../agent/plans/plan-outcome.ts";
import type { RunReport } from "../../agent/runs/run-report.ts";
import type { PageCounts } from "../../ledger/ledger-reports.ts";
import type { RunState } from "../../run/run-state.ts";
import { formatAmount, formatCharged, formatDuration, formatSpend, plural } from "../output/format-values.ts";
import { type Layout, PLAIN_LAYOUT } from "../output/layout.ts";
import { byCount, section } from "../output/report-sections.ts";
import { formatLine, textTable } from "../output/text-table.ts";
import { formatWarnings } from "./budget-table.ts";
import { describeList, formatBadLines } from "./list-lines.ts";
import { denialTable, type PageColumn, pageCountsTable } from "./page-counts-table.ts";
import { listLimits, listToCheck } from "./run-notes.ts";
import { toneOfState } from "./run-table.ts";

const STATES: Readonly<Record<RunState, string>> = {
  running: "is running, or was killed and the next run takes it over",
  completed: "is complete",
  budget_exhausted: "ended: a budget ran out; it can be resumed",
  max_pages: "ended at its number of pages; it can be resumed",
  max_spend: "ended at its largest spend; it can be resumed",
  max_duration: "ended at its longest duration; it can be resumed",
  interrupted: "was interrupted; it can be resumed",
  cancelled: "was cancelled",
  failed: "failed; it can be resumed",
};

/** A shorter pause is the time between two looks at a clock. */
const MIN_PAUSE_MS = 1_000;

/** What came of the approved pages. */
const BOUGHT_COLUMNS: readonly PageColumn<PageCounts>[] = [
  { title: "bought", count: ({ bought }) => bought },
  { title: "failed", count: ({ failed }) => failed },
  { title: "in doubt", count: ({ inDoubt }) => inDoubt },
  { title: "open", count: ({ open }) => open, isOptional: true },
];

export function formatRun(report: RunReport, layout: Layout = PLAIN_LAYOUT): string {
  const {
    runId,
    newLedger,
    state,
    reason,
    sites,
    list: listed,
    plan,
    pages,
    denials,
    failures,
    refused,
    spend,
    usage,
    durationMs,
    workedMs,
  } = report;
  // Released by a person's word: nothing failed, and nothing was paid.
  const { resolved_not_charged: resolved = 0, ...failed } = failures;
  // An interruption by the user needs no reason.
  const because = reason === null || (state === "interrupted" && listed?.path !== null) ? "" : ` (${reason})`;
  if (report.skipped) {
    return formatLine(`${report.warnings.join("; ")}.`, layout);
  }
  const takenOver = report.takenOver.map(
    (left) =>
      `${left.runId}: ${left.released} reserved pages released, ${left.probed} probed, ${left.inDoubt} in doubt`,
  );
  const list = (lines: readonly string[]) => lines.map((line) => formatLine(line, layout, { indent: "  " })).join("");
  return [
    formatLine(`Run ${runId} ${STATES[state]}${because}${newLedger ? ", the first of a new ledger" : ""}`, layout, {
      tone: toneOfState(state),
    }),
    "\n",
    pageCountsTable(
      sites.map((site) => ({ host: site.host, pages: site })),
      pages,
      BOUGHT_COLUMNS,
      layout,
    ),
    ...(listed === null ? [] : [formatLine(`List: ${describeList(listed)}`, layout)]),
    ...(plan === null ? [] : [formatLine(`Plan: ${describePlanOutcome(plan)}`, layout)]),
    ...section("No longer fits the plan, for example", list(plan === null ? [] : listMissed(plan))),
    ...section("Lines left out", formatBadLines(listed, layout)),
    ...section("Denied", denialTable(denials)),
    ...section("Failed", textTable(null, byCount(failed), ["right"])),
    ...(resolved === 0 ? [] : [formatLine(`Resolved: ${resolved} not charged, as a person said of a doubt`, layout)]),
    ...section("Refused, for example", list(refused.map(({ detail }) => detail))),
    ...section("Taken over from earlier runs", list(takenOver)),
    ...section("To check", list(listToCheck(report))),
    ...section("Ended by a limit", list(listLimits(sites))),
    ...section("Budgets", formatWarnings(report.budgetWarnings, layout)),
    "\n",
    formatLine(`Spend: ${formatSpend(spend)}`, layout),
    formatCharged(usage),
    `Uses:  ${usage.recorded} recorded, ${usage.reported} reported, ${usage.pending} pending\n`,
    `Time:  ${formatDuration(workedMs)}${durationMs - workedMs < MIN_PAUSE_MS ? "" : `, and ${formatDuration(durationMs - workedMs)} of pauses`}\n`,
  ].join("");
}

/** Of a saved plan, one line: how many of its pages were bought, and how many were not needed any more. */
function describePlanOutcome({ pages, bought, stored }: PlanOutcome): string {
  const before = stored === 0 ? "" : `, ${stored} stored already`;
  return `${bought} of ${plural(pages, "page")} bought${before}`;
}

/** The first pages that no longer fit, in the order of the plan. */
function listMissed({ examples }: PlanOutcome): string[] {
  return examples.map(describeMissed);
}

function describeMissed({ url, reason, planned, now }: MissedPage): string {
  return `${url}: ${reason}, planned for ${show(planned)}${now === null ? "" : `, now ${show(now)}`}`;
}

function show(cost: MissedPage["planned"]): string {
  return formatAmount(cost?.setAsideMicros ?? null, cost?.currency ?? null);
}
