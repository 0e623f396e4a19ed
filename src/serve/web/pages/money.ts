/** What days cost, by day and by site, from the balances that budgets count with. */
import { z } from "zod";
import { INPUTS } from "../../../agent/calls/inputs.ts";
import type { SpendReport } from "../../../agent/reports/spend-agent.ts";
import type { DaySpend } from "../../../ledger/spend.ts";
import type { Currency } from "../../../money/money.ts";
import { lastEndedMonth, monthOf } from "../../../time/calendar-month.ts";
import { inQuery } from "../../api/request-parts.ts";
import { commandLine } from "../command-line.ts";
import { amountColumn, oneAmount } from "../html/amount-column.ts";
import { type Html, html } from "../html/html.ts";
import { spendChart } from "../html/spend-chart.ts";
import { type Column, section, table } from "../html/tables.ts";
import { address, count, day, foreign, link, query } from "../html/values.ts";
import { definePage } from "../page.ts";

export const moneyPage = definePage({
  path: "/money",
  menu: { group: "Money", name: "Money" },
  title: "Money",
  input: { query: z.strictObject(inQuery(INPUTS.spend)) },
  command: ({ query: { from, to, site } }) => commandLine(["spend"], { from, to, site }),
  read: (reports, asked) => reports.spend(asked.query),
  body: (report, { asked: { query: given }, now }) => html`
<p>What was bought from ${day(report.from)} to ${day(report.to)}, by the UTC day on which each purchase was decided, as budgets count it. For
bookkeeping, the statement of a month counts by the day of the booking:
${statementLinks(monthOf(now).name)}, ${link(address`/money/${lastEndedMonth(now).name}`, `statement of ${lastEndedMonth(now).name}`)}.</p>
<form class="row" method="get" action="/money">
<label>First day <input type="date" name="from" value="${report.from}"></label>
<label>Last day <input type="date" name="to" value="${report.to}"></label>
<label>Site <input name="site" value="${given.site ?? ""}" autocapitalize="off" spellcheck="false"></label>
<button>Show</button>
</form>
${body(report)}`,
});

/** What a month cost, and on what. */
export function statementLinks(month: string): Html {
  const by = (grouping: string) => link(address`/money/${month}?by=${grouping}`, grouping);
  return html`statement of ${month} by ${by("site")}, by ${by("license")}, by ${by("day")}`;
}

function body(report: SpendReport): Html {
  const { from, to, sites, totals } = report;
  if (totals.length === 0) {
    return html`<p class="empty">Nothing was bought in these days. Choose other days, or start a run: <code>licet run</code>.</p>`;
  }
  return html`
${section("In all", table({ caption: "All days together", columns: [{ title: "Currency", cell: ({ currency }) => foreign(currency) }, ...amountColumns()], rows: totals, empty: "" }))}
${section("By day", spendChart(report))}
${section(
  "By site",
  table({
    caption: "The same days by site",
    columns: [
      { title: "Site", cell: ({ host }) => link(address`/sites/${host}`, foreign(host)) },
      ...amountColumns(),
      { title: "Days", cell: ({ host }) => link(`/money${query({ from, to, site: host })}`, "by day") },
    ],
    rows: sites,
    empty: "Nothing was bought on a site.",
  }),
)}`;
}

type Amounts = DaySpend & { readonly currency: Currency };

/** The columns of whatever has the amounts of some days. */
function amountColumns<Row extends Amounts>(): readonly Column<Row>[] {
  const money = (title: string, of: (row: Row) => Row["settledMicros"]) =>
    amountColumn<Row>(title, (row) => oneAmount(of(row), row.currency));
  return [
    money("Charged", ({ settledMicros }) => settledMicros),
    money("Fees", ({ feeMicros }) => feeMicros),
    money("Set aside", ({ reservedMicros }) => reservedMicros),
    money("In doubt", ({ inDoubtMicros }) => inDoubtMicros),
    { title: "Bought", cell: ({ bought }) => count(bought), isNumber: true },
    { title: "Failed", cell: ({ failed }) => count(failed), isNumber: true },
  ];
}
