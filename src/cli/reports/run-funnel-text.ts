/** The text that `licet runs RUN --funnel` prints. */
import type { RunFunnel } from "../../agent/reports/run-funnel.ts";
import { formatAmountCell, formatDuration } from "../output/format-values.ts";
import type { Layout } from "../output/layout.ts";
import { formatTable } from "../output/text-table.ts";
import { stateOf } from "./run-table.ts";

export function formatFunnel({ run, steps, speed, configurations }: RunFunnel, layout: Layout): string {
  const table = formatTable(
    [{ title: "step" }, { title: "pages" }, { title: "money" }],
    steps.map(({ step, count, micros }) => {
      const money = Object.entries(micros).map(([currency, amount]) => formatAmountCell(amount, currency));
      return { cells: [step, count.toLocaleString("en-US"), money.length === 0 ? "-" : money.join(", ")] };
    }),
    layout,
  );
  const perHour = speed.pagesPerHour === null ? "" : `, ${speed.pagesPerHour.toLocaleString("en-US")} pages an hour`;
  const last = configurations.at(-1);
  const kept = last === undefined ? "not kept" : `sha256:${last.digest} (--json has it)`;
  return `Run ${run.runId}: ${stateOf(run)}\n${table}Worked ${formatDuration(speed.workedMs)}${perHour}.\nConfiguration: ${kept}\n`;
}
