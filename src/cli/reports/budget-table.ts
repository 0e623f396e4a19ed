/** The table of budgets: what of each limit is spent, in doubt, set aside, and left. */
import { type BudgetWarning, describeBudgetWarning } from "../../agent/alerts/budget-warnings.ts";
import type { BudgetStatus } from "../../agent/reports/status-report.ts";
import { addMicros, type Micros } from "../../money/micros.ts";
import { formatAmountCell } from "../output/format-values.ts";
import { formatHost } from "../output/host-name.ts";
import type { Layout, Tone } from "../output/layout.ts";
import { type Cell, type Column, formatLine, formatTable } from "../output/text-table.ts";

/** Empty without budgets. */
export function formatBudgets(
  budgets: readonly BudgetStatus[],
  warnings: readonly BudgetWarning[],
  layout: Layout,
): string {
  // Fees count against a budget like their charges. The column is hidden when there are no fees.
  const hasFees = budgets.some(({ balance }) => balance !== null && balance.feeMicros > 0);
  const titles = ["spent", ...(hasFees ? ["fees in it"] : []), "in doubt", "set aside", "left", "limit"];
  const columns: readonly Column[] = [
    { title: "budget", wrap: true },
    ...titles.map((title): Column => ({ title, align: "right" })),
  ];
  const warned = new Set(warnings.map(({ label }) => label));
  const rows = budgets.map((budget) => ({ cells: toCells(budget, { hasFees, isNear: warned.has(budget.label) }) }));
  return formatTable(columns, rows, layout);
}

/** A sentence for each budget that is nearly used up. Empty without any. */
export function formatWarnings(warnings: readonly BudgetWarning[], layout: Layout): string {
  return warnings
    .map((warning) => formatLine(describeBudgetWarning(warning), layout, { indent: "  ", tone: "caution" }))
    .join("");
}

function toCells(
  { label, budget, balance, leftMicros, overMicros }: BudgetStatus,
  { hasFees, isNear }: { readonly hasFees: boolean; readonly isNear: boolean },
): Cell[] {
  const { scope, currency } = budget;
  const amount = (micros: Micros | null) => formatAmountCell(micros, currency);
  const name = scope.kind === "site" ? label.replace(scope.host, formatHost(scope.host)) : label;
  const limit = amount(budget.limitMicros);
  if (balance === null) {
    return [name, "-", ...(hasFees ? ["-"] : []), "-", "-", "-", limit];
  }
  const { settledMicros, feeMicros, inDoubtMicros, reservedMicros } = balance;
  const isOver = overMicros !== null && overMicros > 0;
  const tone: Tone = isOver || leftMicros === 0 ? "bad" : isNear ? "caution" : "good";
  return [
    name,
    amount(addMicros(settledMicros, feeMicros)),
    ...(hasFees ? [amount(feeMicros)] : []),
    amount(inDoubtMicros),
    amount(reservedMicros),
    { text: isOver ? `over by ${amount(overMicros)}` : amount(leftMicros), tone },
    limit,
  ];
}
