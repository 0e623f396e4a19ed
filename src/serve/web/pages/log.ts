/** Who decided what, the newest first. */
import { z } from "zod";
import { INPUTS } from "../../../agent/calls/inputs.ts";
import type { Act } from "../../../ledger/act-ledger.ts";
import { inQuery, rows } from "../../api/request-parts.ts";
import { commandLine } from "../command-line.ts";
import { actTable } from "../html/act-table.ts";
import { type Html, html } from "../html/html.ts";
import { address, foreign, link, NONE, query } from "../html/values.ts";
import { definePage } from "../page.ts";

const MAX_ROWS = 500;
const USUAL_ROWS = 50;

export const logPage = definePage({
  path: "/log",
  menu: { group: "Service", name: "Log" },
  title: "Log",
  input: { query: z.strictObject({ ...inQuery(INPUTS.log), limit: rows(MAX_ROWS, USUAL_ROWS) }) },
  command: ({ query: { limit, cursor } }) => commandLine(["log"], { limit, cursor }),
  read: (reports, asked) => reports.log(asked.query),
  body: ({ acts, nextCursor }, { asked }) => html`
<p>Who decided what, the newest first: doubts resolved, items closed, content purged, runs stopped. Over HTTP, who decides is known by the name of the
token.</p>
${actTable({
  caption: "Decisions",
  subject: { title: "Of", cell: subjectOf },
  rows: acts,
  empty: "Nobody has resolved, closed, purged, accepted, stopped or cancelled anything.",
  next: nextCursor === null ? null : query({ limit: asked.query.limit, cursor: nextCursor }),
})}`,
});

function subjectOf({ kind, purchaseId, url, batchId, itemId, runId, count }: Act): Html {
  const page = url === null ? NONE : foreign(url);
  if (kind === "content_purged") {
    return count === 1 ? page : html`${count} versions of pages, the first of ${page}`;
  }
  if (purchaseId !== null) {
    return html`purchase ${purchaseId}: ${page}`;
  }
  if (batchId !== null) {
    return html`report ${batchId}`;
  }
  if (itemId !== null) {
    return html`open item ${itemId}`;
  }
  return runId === null ? html`this ledger` : link(address`/runs/${runId}`, runId);
}
