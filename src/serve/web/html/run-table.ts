/** Runs as every page lists them. */

import type { ListedRun } from "../../../agent/reports/runs-report.ts";
import type { RunOverview, RunStateFilter } from "../../../ledger/run-reports.ts";
import { amountColumn, amountOfEach } from "./amount-column.ts";
import { type Html, html } from "./html.ts";
import type { Column } from "./tables.ts";
import { address, badge, count, foreign, instant, link } from "./values.ts";

const TONES: Partial<Record<RunStateFilter, "good" | "bad" | "plain">> = {
  running: "plain",
  completed: "good",
  failed: "bad",
  died: "bad",
};

/** A run whose process died is in no other state. */
export function stateBadge({ state, died }: Pick<RunOverview, "state" | "died">): Html {
  const shown = died === null ? state : "died";
  return badge(shown, TONES[shown] ?? "caution");
}

export const runColumns: readonly Column<ListedRun>[] = [
  { title: "Run", cell: ({ runId }) => link(address`/runs/${runId}`, runId) },
  {
    title: "State",
    cell: (run) => html`${stateBadge(run)}${run.reason !== null && html`<br>${foreign(run.reason)}`}`,
  },
  { title: "Sites", cell: hostsCell },
  { title: "Started", cell: ({ startedAt }) => instant(startedAt) },
  { title: "Ended", cell: ({ endedAt }) => instant(endedAt) },
  { title: "Pages bought", cell: ({ pagesBought }) => count(pagesBought), isNumber: true },
  { title: "In doubt", cell: ({ pagesInDoubt }) => count(pagesInDoubt), isNumber: true },
  amountColumn("Charges", ({ spend }) => amountOfEach(spend, ({ settledMicros }) => settledMicros)),
];

export function hostsCell({ hosts }: Pick<RunOverview, "hosts">): readonly Html[] {
  return hosts.map((host, index) => html`${index > 0 && ", "}${foreign(host)}`);
}
