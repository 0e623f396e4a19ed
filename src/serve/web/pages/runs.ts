/** The runs, the newest first: filters, and how an id begins. */
import { z } from "zod";
import { INPUTS } from "../../../agent/calls/inputs.ts";
import { inQuery, rows } from "../../api/request-parts.ts";
import { commandLine } from "../command-line.ts";
import { type Html, html } from "../html/html.ts";
import { runColumns } from "../html/run-table.ts";
import { live, table } from "../html/tables.ts";
import { button, query } from "../html/values.ts";
import { definePage } from "../page.ts";

const MAX_ROWS = 200;
const USUAL_ROWS = 25;
const NAMES = { run: "Id, or how it begins", site: "Site", from: "First day", to: "Last day" } as const;

const { run: _exact, ...filters } = inQuery(INPUTS.runs);
const runsQuery = z.strictObject({
  ...filters,
  run: z
    .string()
    .regex(/^\w{1,68}$/, "a run's id, or how it begins")
    .optional(),
  limit: rows(MAX_ROWS, USUAL_ROWS),
});

export const runsPage = definePage({
  path: "/runs",
  menu: { group: "Now", name: "Runs" },
  title: "Runs",
  isLive: true,
  input: { query: runsQuery },
  command: ({ query: { run: _begin, ...asked } }) => commandLine(["runs"], asked),
  read: (reports, { query: asked }) => reports.runs(asked),
  body: ({ runs, total, nextCursor }, { asked: { query: asked }, mayAct }) => html`
<p>Each run walks, quotes, decides, buys, stores and reports. Days are UTC.</p>
${mayAct && html`<p>${button("/runs/start", "Start a run\u00a0…")}</p>`}
<form class="row" method="get">
${(["run", "site", "from", "to"] as const).map((name) => textField(name, asked[name]))}
${choice("state", "State", INPUTS.runs.state.schema.options, asked.state)}
${choice("kind", "Kind", INPUTS.runs.kind.schema.options, asked.kind)}
<button>Show</button>
</form>
${live(
  "runs",
  table({
    caption: `Runs, ${total} in all`,
    columns: runColumns,
    rows: runs,
    empty: html`No run matches. A run begins by a schedule, by a notification, or with <code>licet run</code>.`,
    next: nextCursor === null ? null : query({ ...asked, cursor: nextCursor }),
  }),
)}`,
});

function textField(name: keyof typeof NAMES, value: string | undefined): Html {
  const isDay = name === "from" || name === "to";
  return html`<div><label for="${name}">${NAMES[name]}</label>
<input id="${name}" name="${name}" type="${isDay ? "date" : "text"}" value="${value ?? ""}" autocapitalize="off" spellcheck="false"></div>`;
}

function choice(name: string, label: string, words: readonly string[], chosen: string | undefined): Html {
  return html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}"><option value="">any</option>
${words.map((word) => html`<option value="${word}" ${word === chosen && "selected"}>${word}</option>`)}</select></div>`;
}
