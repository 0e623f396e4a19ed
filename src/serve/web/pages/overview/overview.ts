/** The first page: what needs a person, whether the service buys, what today and the month cost, and what is at work. */
import type { PlanList } from "../../../../agent/plans/plan-list.ts";
import type { ListedRun } from "../../../../agent/reports/runs-report.ts";
import type { SpendReport } from "../../../../agent/reports/spend-agent.ts";
import type { BudgetStatus, StatusReport } from "../../../../agent/reports/status-report.ts";
import type { DaySpend } from "../../../../ledger/spend.ts";
import type { Micros } from "../../../../money/micros.ts";
import type { Currency } from "../../../../money/money.ts";
import { monthOf } from "../../../../time/calendar-month.ts";
import { isoDate } from "../../../../time/period.ts";
import type { DependencyState } from "../../../process/readiness.ts";
import { commandLine } from "../../command-line.ts";
import { amountColumn, oneAmount } from "../../html/amount-column.ts";
import { type Html, html } from "../../html/html.ts";
import { runColumns } from "../../html/run-table.ts";
import { spendChart } from "../../html/spend-chart.ts";
import { type Column, live, section, table } from "../../html/tables.ts";
import { badge, count, counted, day, foreign, link } from "../../html/values.ts";
import { definePage, type PageReports } from "../../page.ts";
import { statementLinks } from "../money.ts";
import { showBuying } from "./buying.ts";
import { showNeeds } from "./needs.ts";

interface Overview {
  readonly status: StatusReport;
  readonly days: SpendReport;
  readonly month: SpendReport;
  readonly plans: PlanList;
  readonly dependencies: readonly DependencyState[];
}

const monthStart = (now: number) => isoDate(monthOf(now).from);

export const overviewPage = definePage({
  path: "/",
  menu: { group: "Now", name: "Overview" },
  title: "Overview",
  isLive: true,
  command: (_asked, now) => [
    commandLine(["status"]),
    commandLine(["spend"]),
    commandLine(["spend"], { from: monthStart(now) }),
    commandLine(["plans"]),
  ],
  read: async (reports: PageReports): Promise<Overview> => ({
    status: await reports.status(),
    days: await reports.spend(),
    month: await reports.spend({ from: monthStart(reports.now) }),
    plans: await reports.plans(),
    dependencies: reports.service.readiness.last(),
  }),
  body: ({ status, days, month, plans, dependencies }, { mayAct, now }) => html`
${live("needs", section("What needs a person", showNeeds(status, plans, dependencies)))}
${live("buying", section("Is it buying", showBuying(status, mayAct)))}
${live("spend", section("Spend", html`${spendTable(status, month)}<p>On what: ${statementLinks(monthOf(now).name)}.</p>${budgetTable(status.budgets)}`))}
${section("The last 30 days", spendChart(days))}
${live("runs", section("The last runs", runTable(status)))}`,
});

/** Enough to see what happened last. */
const LAST_RUNS = 8;

interface SpendRow extends DaySpend {
  readonly period: Html;
  readonly currency: Currency;
}

const money = <Row>(
  title: string,
  of: (row: Row) => { readonly micros: Micros | null; readonly currency: Currency },
): Column<Row> => amountColumn(title, (row) => oneAmount(of(row).micros, of(row).currency));

function spendTable({ today }: StatusReport, month: SpendReport): Html {
  const rows: SpendRow[] = [
    ...Object.entries(today.spend).map(([currency, spend]) => ({
      period: html`Today, ${day(today.day)}`,
      currency,
      ...spend,
    })),
    ...month.totals.map((spend) => ({ period: html`This month, ${day(month.from)} to ${day(month.to)}`, ...spend })),
  ];
  const isQuiet = rows.length > 0 && Object.keys(today.spend).length === 0;
  return html`${table<SpendRow>({
    caption: "Today and this month, by the UTC day on which each purchase was decided",
    columns: [
      { title: "Period", cell: ({ period }) => period },
      money("Charges", ({ settledMicros: micros, currency }) => ({ micros, currency })),
      money("Fees", ({ feeMicros: micros, currency }) => ({ micros, currency })),
      money("Set aside", ({ reservedMicros: micros, currency }) => ({ micros, currency })),
      money("In doubt", ({ inDoubtMicros: micros, currency }) => ({ micros, currency })),
      { title: "Pages bought", cell: ({ bought }) => count(bought), isNumber: true },
      { title: "Not bought", cell: ({ failed }) => count(failed), isNumber: true },
    ],
    rows,
    empty: "Nothing was bought today or in this month.",
  })}${isQuiet && html`<p>Nothing was bought today, ${day(today.day)}, so far.</p>`}`;
}

function budgetTable(budgets: readonly BudgetStatus[]): Html {
  const of = (micros: Micros | null | undefined, { budget: { currency } }: BudgetStatus) => ({
    micros: micros ?? null,
    currency,
  });
  return table<BudgetStatus>({
    caption: "Budgets now",
    columns: [
      { title: "Budget", cell: ({ label }) => foreign(label) },
      { ...LEFT, cell: (row, decimals) => html`${isOver(row) && badge("over by", "bad")} ${LEFT.cell(row, decimals)}` },
      money("Limit", (row) => of(row.budget.limitMicros, row)),
      money("Charges", (row) => of(row.balance?.settledMicros, row)),
      money("Fees", (row) => of(row.balance?.feeMicros, row)),
      money("Set aside", (row) => of(row.balance?.reservedMicros, row)),
      money("In doubt", (row) => of(row.balance?.inDoubtMicros, row)),
    ],
    rows: budgets,
    empty: html`No budget is configured, so nothing is bought. Add one under <code>budgets</code>, such as <code>{ scope: all, per: month, limit: 100 USD }</code>.`,
  });
}

const isOver = ({ overMicros }: BudgetStatus) => overMicros !== null && overMicros > 0;

const LEFT = amountColumn<BudgetStatus>(
  "Left",
  (row) => oneAmount(isOver(row) ? row.overMicros : row.leftMicros, row.budget.currency),
  () => "of each run",
);

function runTable({ runs, totals }: StatusReport): Html {
  const newest = runs.slice(0, LAST_RUNS);
  return html`${table<ListedRun>({
    caption: "The newest runs",
    columns: runColumns,
    rows: newest,
    empty: html`There was no run yet. <code>licet run</code> begins one, and so does a <code>schedule</code> of a site.`,
  })}${totals.runs > newest.length && html`<p>${link("/runs", html`All ${counted(totals.runs, "run")}`)}</p>`}`;
}
