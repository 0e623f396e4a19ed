/** The list of runs, as `licet status` and `licet runs` print it. */
import type { ListedRun } from "../../agent/reports/runs-report.ts";
import { processLabel } from "../../agent/this-process.ts";
import type { RunOverview, RunStateFilter } from "../../ledger/run-reports.ts";
import { formatCost, formatInstant } from "../output/format-values.ts";
import { formatHost } from "../output/host-name.ts";
import type { Layout, Tone } from "../output/layout.ts";
import { type ItemColumn, listTable } from "../output/text-table.ts";
import { describeWait } from "./wait-lines.ts";

const TONES: Readonly<Record<RunStateFilter, Tone>> = {
  running: "caution",
  completed: "good",
  budget_exhausted: "caution",
  max_pages: "caution",
  max_spend: "caution",
  max_duration: "caution",
  interrupted: "caution",
  cancelled: "caution",
  failed: "bad",
  died: "bad",
};

const COLUMNS: readonly ItemColumn<ListedRun>[] = [
  { title: "run", cell: ({ runId }) => runId },
  { title: "state", cell: (run) => ({ text: stateOf(run), tone: TONES[stateOf(run)] }) },
  { title: "trigger", cell: ({ trigger }) => trigger },
  { title: "started", cell: ({ startedAt }) => formatInstant(startedAt) },
  { title: "ended", cell: ({ endedAt }) => formatInstant(endedAt) },
  { title: "pages", align: "right", cell: ({ pagesBought }) => String(pagesBought) },
  { title: "cost", align: "right", cell: ({ spend }) => formatCost(spend) || "-" },
];

/** The state of a run for people: a run whose process died is in no other state. */
export function stateOf({ state, died }: Pick<RunOverview, "state" | "died">): RunStateFilter {
  return died === null ? state : "died";
}

export function toneOfState(state: RunStateFilter): Tone {
  return TONES[state];
}

/** Below each run: why it ended, and where its process died. Empty without runs. */
export function formatRuns(runs: readonly ListedRun[], layout: Layout): string {
  return listTable(runs, COLUMNS, layout, listNotes);
}

function listNotes(run: ListedRun): string[] {
  const { pagesInDoubt, hosts } = run;
  return [
    ...describeEnd(run),
    ...run.waits.map(describeWait),
    ...(pagesInDoubt === 0 ? [] : [`${pagesInDoubt} of its pages in doubt`]),
    ...(hosts.length === 1 ? [] : [`sites: ${hosts.map(formatHost).join(", ")}`]),
  ];
}

/** Why a run ended, and what became of it. Nothing to add for one that is complete. */
export function describeEnd(
  run: Pick<RunOverview, "died" | "takenOverBy" | "reason" | "isAlive" | "process">,
): string[] {
  const { died, takenOverBy, reason, isAlive, process } = run;
  if (died !== null) {
    const what = died.process === null ? "its process" : `its process ${processLabel(died.process)}`;
    const then = takenOverBy === null ? "the next licet run takes it over" : `${takenOverBy} took it over`;
    return [`${what} ended unexpectedly, last sign of life ${formatInstant(died.lastSeenAt)}; ${then}`];
  }
  if (isAlive && process !== null) {
    return [`process ${processLabel(process)} works on it`];
  }
  return reason === null ? [] : [reason];
}
