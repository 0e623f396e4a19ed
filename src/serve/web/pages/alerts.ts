/** The alerts that were raised, and who looks after them. */
import { z } from "zod";
import { INPUTS } from "../../../agent/calls/inputs.ts";
import type { RaisedAlert } from "../../../ledger/alert-ledger.ts";
import { inQuery, rows } from "../../api/request-parts.ts";
import { commandLine } from "../command-line.ts";
import { html } from "../html/html.ts";
import { table } from "../html/tables.ts";
import { address, foreign, instant, link, NONE, query } from "../html/values.ts";
import { definePage } from "../page.ts";

const MAX_ROWS = 200;
const USUAL_ROWS = 50;

export const alertsPage = definePage({
  path: "/alerts",
  menu: { group: "Now", name: "Alerts" },
  title: "Alerts",
  input: { query: z.strictObject({ ...inQuery(INPUTS.raisedAlerts), limit: rows(MAX_ROWS, USUAL_ROWS) }) },
  command: ({ query: asked }) => commandLine(["alerts"], { raised: true, ...asked }),
  read: (reports, { query: asked }) => reports.raisedAlerts(asked),
  body: ({ alerts, nextCursor }, { asked: { query: asked }, viewer }) => html`
<p>${link("?open=true", "Those that nobody looks after")}, ${link("?", "all")}. Old alerts are pruned.</p>
${table<RaisedAlert>({
  caption: "Alerts",
  columns: [
    { title: "Alert", cell: ({ alertId }) => String(alertId) },
    { title: "Raised", cell: ({ raisedAt }) => instant(raisedAt) },
    { title: "What", cell: ({ message }) => foreign(message) },
    { title: "First command", cell: ({ command }) => (command === null ? NONE : html`<code>${command}</code>`) },
    {
      title: "Who looks after it",
      cell: ({ alertId, acknowledged }) =>
        acknowledged !== null
          ? html`${foreign(acknowledged.by)}, ${instant(acknowledged.at)}: ${foreign(acknowledged.reason)}`
          : viewer.mayAct
            ? link(address`/alerts/${alertId}/acknowledge`, "I do …")
            : "nobody",
    },
  ],
  rows: alerts,
  empty: html`No alert is kept. Who is told of what is said by <code>alerts</code> of the configuration.`,
  next:
    nextCursor === null
      ? null
      : query({ open: asked.open === true ? "true" : null, limit: asked.limit, cursor: nextCursor }),
})}`,
});
