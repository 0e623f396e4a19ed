/** The statement of a month, and the same as CSV. */

import { z } from "zod";
import { month } from "../../../agent/calls/fields.ts";
import { INPUTS } from "../../../agent/calls/inputs.ts";
import type { Micros } from "../../../money/micros.ts";
import { STATEMENT_GROUPINGS, type Statement, type StatementFigures } from "../../../statement/statement.ts";
import { parseCalendarMonth } from "../../../time/calendar-month.ts";
import { inQuery } from "../../api/request-parts.ts";
import { commandLine } from "../command-line.ts";
import { amountColumn, oneAmount } from "../html/amount-column.ts";
import { type Html, html } from "../html/html.ts";
import { type Column, facts, section, table } from "../html/tables.ts";
import { address, count, day, foreign, instant, link, NONE, query } from "../html/values.ts";
import { definePage } from "../page.ts";

const { by, site } = inQuery(INPUTS.statement);
/** What a statement of a month is asked with, here and as CSV. */
export const STATEMENT_INPUT = { params: z.strictObject({ month: month.schema }), query: z.strictObject({ by, site }) };

/** Lines that are shown at once: a month has one for each of its runs, and what stands above them is of all. */
const MAX_LINES = 500;

export const statementPage = definePage({
  path: "/money/:month",
  input: { ...STATEMENT_INPUT, query: z.strictObject({ by, site, cursor: inQuery(INPUTS.log).cursor }) },
  command: ({ params, query: given }) =>
    commandLine(["statement"], { month: params.month, by: given.by, site: given.site }),
  read: (reports, { params, query: given }) =>
    reports.statement({ month: params.month, by: given.by, site: given.site }),
  title: (_, { params }) => `Statement of ${params.month}`,
  body: (
    statement,
    {
      asked: {
        params,
        query: { cursor, ...given },
      },
    },
  ) => html`
<form class="row" method="get" action="${address`/money/${params.month}`}">
<label>A line for each <select name="by">${STATEMENT_GROUPINGS.map((one) => html`<option value="${one}" ${one === (given.by ?? "site") && "selected"}>${one}</option>`)}</select></label>
<label>Site <input name="site" value="${given.site ?? ""}" autocapitalize="off" spellcheck="false"></label>
<button>Show</button>
</form>
<p>${link(address`/money/${params.month}/statement.csv` + query(given), "The same as CSV")}: the bytes of <code>licet statement --format csv</code>.
${otherMonths(params.month, given)}</p>
${body(statement, Number(cursor ?? 0), given)}`,
});

/** By the same grouping. */
function otherMonths(name: string, given: Parameters<typeof query>[0]): Html {
  const parsed = parseCalendarMonth(name);
  const near = parsed === null ? [] : [parsed.from - 1, parsed.to].map((at) => new Date(at).toISOString().slice(0, 7));
  return html`Other months: ${near.map((one) => html`${link(address`/money/${one}` + query(given), one)} `)}`;
}

/** @param shown lines that earlier pages have */
function body(
  { complete, until, lines, totals, by: grouping, from }: Statement,
  shown: number,
  given: Parameters<typeof query>[0],
): Html {
  const end = shown + MAX_LINES;
  const last = until === from ? "nothing is booked yet" : instant(Date.parse(until));
  return html`
${facts([
  ["Month", complete ? "complete: it does not change any more" : "goes on"],
  ["Booked until", last],
])}
${section(
  "In all",
  totals.length === 0
    ? html`<p class="empty">Nothing was booked in this month.</p>`
    : html`${totals.map((total) => facts(FIGURES.map(({ title, cell }) => [title, cell(total, 0)])))}`,
)}
${section(
  `By ${grouping}`,
  table({
    caption: `The month by ${grouping}`,
    columns: [
      {
        title: `${grouping.charAt(0).toUpperCase()}${grouping.slice(1)}`,
        cell: ({ group }) => groupCell(grouping, group),
      },
      ...FIGURES,
    ],
    rows: lines.slice(shown, end),
    empty: "Nothing was booked in this month. Choose another month, or start a run: licet run.",
    next: end < lines.length ? query({ ...given, cursor: String(end) }) : null,
  }),
)}
${section(
  "Charges by the month of their budget",
  table({
    caption: "The charges of the month, by the month in whose budgets they count",
    columns: [
      { title: "Month", cell: ({ month: name }) => name },
      amountColumn<BudgetMonth>("Spent, with fees", ({ spentMicros, currency }) => oneAmount(spentMicros, currency)),
    ],
    rows: totals.flatMap(({ budgetMonths, currency }) => budgetMonths.map((one) => ({ ...one, currency }))),
    empty: "Nothing was charged in this month.",
  }),
)}`;
}

/** What has a page of its own leads there. */
function groupCell(grouping: Statement["by"], group: string | null): Html {
  if (group === null) {
    return NONE;
  }
  switch (grouping) {
    case "day":
      return day(group);
    case "site":
      return link(address`/sites/${group}`, foreign(group));
    case "run":
      return link(address`/runs/${group}`, group);
    default:
      return foreign(group);
  }
}

type BudgetMonth = Statement["totals"][number]["budgetMonths"][number] & Pick<Figures, "currency">;
type Figures = StatementFigures & { readonly currency: Statement["lines"][number]["currency"] };

const figure = (title: string, cell: Column<Figures>["cell"]): Column<Figures> => ({ title, cell, isNumber: true });
const money = (title: string, of: (figures: StatementFigures) => Micros | null) =>
  amountColumn<Figures>(title, (row) => oneAmount(of(row), row.currency));

const FIGURES: readonly Column<Figures>[] = [
  money("Total", ({ total }) => total.chargedMicros),
  money("Total fees", ({ total }) => total.feeMicros),
  figure("Pages", ({ bought }) => count(bought.pages)),
  money("Charged", ({ bought }) => bought.chargedMicros),
  money("Fees", ({ bought }) => bought.feeMicros),
  figure("Indexed", ({ indexed }) => count(indexed.pages)),
  money("By a person’s word", ({ corrections }) => corrections.operator.chargedMicros),
  money("Late answers", ({ corrections }) => corrections.lateAnswers.chargedMicros),
  money("Uses", ({ uses }) => uses.chargedMicros),
  money("Fetch reports", ({ fetchReports }) => fetchReports.chargedMicros),
  figure("In doubt at the end", ({ doubts }) => count(doubts.openAtEnd.pages)),
  money("Set aside for it", ({ doubts }) => doubts.openAtEnd.setAsideMicros),
];
