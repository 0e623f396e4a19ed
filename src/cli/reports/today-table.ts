/** What the UTC day has cost so far, for the head of `licet status`. */
import type { TodayStatus } from "../../agent/reports/status-report.ts";
import { addMicros } from "../../money/micros.ts";
import { formatAmountCell } from "../output/format-values.ts";
import type { Layout } from "../output/layout.ts";
import { type Column, formatTable, wrapText } from "../output/text-table.ts";

const COLUMNS: readonly Column[] = ["spent", "set aside", "in doubt", "bought", "failed"].map((title) => ({
  title,
  align: "right",
}));

export function formatToday({ day, spend }: TodayStatus, layout: Layout): string {
  const rows = Object.entries(spend).map(([currency, today]) => ({
    cells: [
      formatAmountCell(addMicros(today.settledMicros, today.feeMicros), currency),
      formatAmountCell(today.reservedMicros, currency),
      formatAmountCell(today.inDoubtMicros, currency),
      String(today.bought),
      String(today.failed),
    ],
  }));
  const title = `Today, ${day} (UTC):${rows.length === 0 ? " nothing was bought" : ""}`;
  return `${wrapText(title, layout.columns).join("\n")}\n${formatTable(COLUMNS, rows, layout)}`;
}
