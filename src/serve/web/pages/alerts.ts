/** The alerts that were raised, and who looks after them. */
import { z } from "zod";
import type { ListedAlert } from "../../../agent/alerts/raised-alerts-agent.ts";
import { INPUTS } from "../../../agent/calls/inputs.ts";
import type { StatusReport } from "../../../agent/reports/status-report.ts";
import { inQuery, rows } from "../../api/request-parts.ts";
import { commandLine } from "../command-line.ts";
import { type Html, html } from "../html/html.ts";
import { section, table } from "../html/tables.ts";
import { address, badge, count, foreign, instant, link, NONE, query } from "../html/values.ts";
import { definePage } from "../page.ts";

const MAX_ROWS = 200;
const USUAL_ROWS = 50;

export const alertsPage = definePage({
  path: "/alerts",
  menu: { group: "Now", name: "Alerts" },
  title: "Alerts",
  input: { query: z.strictObject({ ...inQuery(INPUTS.raisedAlerts), limit: rows(MAX_ROWS, USUAL_ROWS) }) },
  command: ({ query: asked }) => [commandLine(["alerts"], { raised: true, ...asked }), commandLine(["status"])],
  read: async (reports, { query: asked }) => ({
    ...(await reports.raisedAlerts(asked)),
    deliveries: (await reports.status()).alerts,
  }),
  body: ({ alerts, nextCursor, deliveries }, { asked: { query: asked }, mayAct }) => html`
${undelivered(deliveries)}
<p>${link("?open=true", "Those that nobody looks after")}, ${link("?", "all")}. Old alerts are pruned.</p>
${table<ListedAlert>({
  caption: "Alerts",
  columns: [
    {
      title: "Alert",
      cell: ({ alertId, acknowledged }) =>
        html`${alertId}${mayAct && acknowledged === null && html`<br>${link(address`/alerts/${alertId}/acknowledge`, "Look after\u00a0…")}`}`,
    },
    { title: "Raised", cell: ({ raisedAt }) => instant(raisedAt) },
    { title: "What", cell: ({ message }) => foreign(message) },
    { title: "First command", cell: ({ command }) => (command === null ? NONE : html`<code>${command}</code>`) },
    {
      title: "Who looks after it",
      cell: ({ acknowledged }) =>
        acknowledged === null
          ? "nobody"
          : html`${foreign(acknowledged.by)}, ${instant(acknowledged.at)}: ${foreign(acknowledged.reason)}`,
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

/** Who was not told, and why. */
function undelivered({ pending, undelivered: rowsOfStatus }: StatusReport["alerts"]): Html {
  return rowsOfStatus.length === 0
    ? html``
    : section(
        "Nobody was told",
        table<StatusReport["alerts"]["undelivered"][number]>({
          caption: `Alerts that did not reach a receiver: ${pending} are tried again, and the newest of those that were given up`,
          columns: [
            { title: "Receiver", cell: ({ to }) => foreign(to) },
            {
              title: "State",
              cell: ({ state }) => badge(state.replace("_", " "), state === "given_up" ? "bad" : "caution"),
            },
            { title: "Sent", cell: ({ attempts }) => count(attempts), isNumber: true },
            { title: "Error", cell: ({ error }) => foreign(error) },
            { title: "What", cell: ({ message }) => foreign(message) },
            { title: "Raised", cell: ({ raisedAt }) => instant(raisedAt) },
          ],
          rows: rowsOfStatus,
          empty: "",
        }),
      );
}
