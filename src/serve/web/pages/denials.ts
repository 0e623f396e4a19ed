/** Why pages were not bought: by reason, by rule, by site, and page by page. */
import { z } from "zod";
import { INPUTS } from "../../../agent/calls/inputs.ts";
import type { DenialsReport } from "../../../agent/reports/denials-agent.ts";
import { DENIAL_REASONS } from "../../../policy/verdict.ts";
import { inQuery, rows } from "../../api/request-parts.ts";
import { commandLine } from "../command-line.ts";
import { barChart } from "../html/charts.ts";
import { type Html, html } from "../html/html.ts";
import { section, table } from "../html/tables.ts";
import { address, count, day, foreign, instant, link, NONE, query } from "../html/values.ts";
import { definePage } from "../page.ts";

const MAX_ROWS = 500;
const USUAL_ROWS = 50;

const INPUT = z.strictObject({ ...inQuery(INPUTS.denials), limit: rows(MAX_ROWS, USUAL_ROWS) });
type Given = z.output<typeof INPUT>;

export const denialsPage = definePage({
  path: "/denials",
  menu: { group: "Now", name: "Denials" },
  title: "Denials",
  input: { query: INPUT },
  command: ({ query: given }) => commandLine(["denials"], { ...given }),
  read: (reports, asked) => reports.denials(asked.query),
  body: (report, { asked: { query: given } }) => html`
<p>Pages that were quoted or seen and not bought, ${whose(report)}. A page that several runs denied counts once for each of them.
${report.olderRunsLeftOut && html`These days have more runs than one look counts: only the newest ${count(report.runs)} are counted.`}</p>
<form class="row" method="get" action="/denials">
${
  report.runId === null &&
  html`<label>First day <input type="date" name="from" value="${report.from ?? ""}"></label>
<label>Last day <input type="date" name="to" value="${report.to ?? ""}"></label>`
}
<label>Run <input name="run" value="${given.run ?? ""}" autocapitalize="off" spellcheck="false"></label>
<label>Site <input name="site" value="${given.site ?? ""}" autocapitalize="off" spellcheck="false"></label>
<label>Reason <select name="reason"><option value="">all</option>${DENIAL_REASONS.map((one) => html`<option value="${one}" ${one === given.reason && "selected"}>${one}</option>`)}</select></label>
<button>Show</button>
</form>
${report.total === 0 ? html`<p class="empty">No page was denied. When a run denies one, its reason is here; <code>licet explain URL</code> says now what a run would do with a page.</p>` : body(report, given)}`,
});

function whose({ runId, from, to, runs }: DenialsReport): Html {
  return runId === null
    ? html`in the ${count(runs)} runs that began from ${day(from ?? "")} to ${day(to ?? "")} (UTC)`
    : html`in ${link(address`/runs/${runId}`, runId)}`;
}

/** The same filters, with some of them changed, from the first page on. */
const filtered = ({ cursor: _, ...given }: Given, changed: Partial<Given>) =>
  `/denials${query({ ...given, ...changed })}`;

const ruleOf = ({ ruleIndex }: { readonly ruleIndex: number | null }) =>
  ruleIndex === null ? "none" : `rule ${ruleIndex + 1}`;

function body(report: DenialsReport, given: Given): Html {
  const { total, reasons, rules, ruledPages, sites, pages, nextCursor } = report;
  return html`
${section(
  "By reason",
  html`<p>${count(total)} in all.</p>
${barChart({
  title: "Denied pages by reason",
  parts: ["pages"],
  rows: reasons,
  bar: (row) => ({ label: row.reason, values: [row.pages] }),
  top: String,
  columns: [
    { title: "Reason", cell: ({ reason }) => link(filtered(given, { reason }), reason) },
    { title: "Class", cell: (row) => row.class },
    { title: "Pages", cell: (row) => count(row.pages), isNumber: true },
  ],
  isOpen: true,
  empty: "",
})}`,
)}
${section(
  "By rule",
  html`<p>Counted over the newest ${count(ruledPages)} of the denials that match. The text is that of the rule as it is configured now.</p>
${table({
  caption: "Denied pages by rule",
  columns: [
    { title: "Policy", cell: ({ policyName }) => foreign(policyName) },
    { title: "Rule", cell: ruleOf },
    { title: "Text", cell: ({ rule }) => (rule === null ? NONE : html`<code>${rule}</code>`) },
    { title: "Reason", cell: ({ reason }) => reason },
    { title: "Pages", cell: (row) => count(row.pages), isNumber: true },
  ],
  rows: rules,
  empty: "No denial of these runs has its row any more: licet prune removed them.",
})}`,
)}
${section(
  "By site",
  table({
    caption: "Denied pages by site",
    columns: [
      { title: "Site", cell: ({ host }) => link(filtered(given, { site: host }), foreign(host)) },
      { title: "Pages", cell: (row) => count(row.pages), isNumber: true },
    ],
    rows: sites,
    empty: "",
  }),
)}
${section(
  "Pages",
  table({
    caption: "Denied pages, those of the newest runs first",
    columns: [
      { title: "Page", cell: ({ url }) => foreign(url) },
      { title: "Reason", cell: ({ reason }) => reason },
      { title: "Policy", cell: ({ policyName }) => foreign(policyName) },
      { title: "Rule", cell: ruleOf },
      { title: "Detail", cell: ({ detail }) => foreign(detail) },
      { title: "Run", cell: ({ runId }) => link(address`/runs/${runId}`, runId) },
      { title: "Denied", cell: ({ at }) => instant(at) },
    ],
    rows: pages,
    empty:
      nextCursor === null
        ? "No more pages match."
        : html`None of the rows that were looked at matches. ${link(filtered(given, { cursor: nextCursor }), "Look further back")}`,
    next: nextCursor === null ? null : filtered(given, { cursor: nextCursor }),
  }),
)}`;
}
