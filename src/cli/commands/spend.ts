import type { SpendOptions, SpendReport } from "../../agent/reports/spend-agent.ts";
import type { DaySpend } from "../../ledger/spend.ts";
import type { Currency } from "../../money/money.ts";
import type { CliCommand } from "../cli-command.ts";
import { formatAmountCell } from "../output/format-values.ts";
import { formatHost, parseHost } from "../output/host-name.ts";
import type { Layout } from "../output/layout.ts";
import { section } from "../output/report-sections.ts";
import { type Column, formatTable } from "../output/text-table.ts";

export function declareSpend(command: CliCommand): void {
  command
    .option("--from <day>", "the first UTC day: 2026-11-20, today or yesterday (default: 30 days up to today)")
    .option("--to <day>", "with --from, the last UTC day, which is included (default: today)")
    .option("--site <host>", "only this site", parseHost)
    .examples([
      ["licet spend", "the last 30 days"],
      ["licet spend --from yesterday --site news.example", ""],
      ["licet spend --json | jq .totals", "for a program"],
    ])
    .does((session, flags: SpendOptions) => session.answerFromLedger((agent) => agent.spend(flags), formatSpendReport));
}

const AMOUNTS: readonly Column[] = ["charged", "fees", "set aside", "in doubt", "bought", "failed"].map((title) => ({
  title,
  align: "right",
}));

export function formatSpendReport({ from, to, days, sites, totals }: SpendReport, layout: Layout): string {
  if (days.length === 0) {
    return `Nothing was bought from ${from} to ${to} (UTC).\n`;
  }
  const byDay = [...days, ...totals.map((total) => ({ day: "total", ...total }))];
  return [
    ...section(
      `Spend by UTC day, ${from} to ${to}`,
      formatRows("day", byDay, ({ day }) => day, layout),
      layout,
    ),
    ...section(
      "By site",
      formatRows("site", sites, ({ host }) => formatHost(host), layout),
      layout,
    ),
  ]
    .join("")
    .trimStart();
}

function formatRows<Row extends DaySpend & { readonly currency: Currency }>(
  title: string,
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  layout: Layout,
): string {
  return formatTable(
    [{ title }, ...AMOUNTS],
    rows.map((row) => ({ cells: [nameOf(row), ...toCells(row)] })),
    layout,
  );
}

function toCells({
  currency,
  settledMicros,
  feeMicros,
  reservedMicros,
  inDoubtMicros,
  bought,
  failed,
}: DaySpend & { readonly currency: Currency }): string[] {
  const amounts = [settledMicros, feeMicros, reservedMicros, inDoubtMicros];
  return [...amounts.map((micros) => formatAmountCell(micros, currency)), String(bought), String(failed)];
}
