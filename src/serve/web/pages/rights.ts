/** A calendar of the rights that end. */
import { z } from "zod";
import { INPUTS } from "../../../agent/calls/inputs.ts";
import type { EndingOnDay, RightsCalendar } from "../../../agent/rights/rights-agent.ts";
import type { EndedRights, EndingDocument } from "../../../ledger/rights-calendar.ts";
import { isoDate } from "../../../time/period.ts";
import { inQuery } from "../../api/request-parts.ts";
import { commandLine } from "../command-line.ts";
import { barChart } from "../html/charts.ts";
import { type Html, html } from "../html/html.ts";
import { section, table } from "../html/tables.ts";
import { address, day, foreign, instant, link } from "../html/values.ts";
import { definePage } from "../page.ts";
import { bounded } from "./sites.ts";

export const rightsPage = definePage({
  path: "/rights",
  menu: { group: "Content", name: "Rights" },
  title: "Rights",
  input: { query: z.strictObject(inQuery(INPUTS.rights)) },
  command: ({ query: { within } }) => commandLine(["rights"], { within }),
  read: (reports, asked) => reports.rights(asked.query),
  body: (calendar, { asked: { query: given } }) => html`
<p>When the rights to stored pages end, by the licence or by the policy’s <code>retention</code>, and what the policy does then
(<code>onExpiry</code>).</p>
<form class="row" method="get" action="/rights">
<label>Look ahead <input name="within" value="${given.within ?? "90d"}" spellcheck="false"></label>
<button>Show</button>
</form>
${calendar.countedUntil < calendar.until && html`<p class="note">More rights end than one look counts: every end before ${instant(calendar.countedUntil)} is counted. <code>licet status --expiring ${given.within ?? "90d"}</code> counts all of them.</p>`}
${section("Days", days(calendar))}
${section("Ended already", ended(calendar))}
${section("Pages whose rights end next", earliest(calendar))}`,
});

function days({ days: rows, countedUntil, until }: RightsCalendar): Html {
  const names = [...new Set(rows.map((row) => row.day))];
  // The last day of a look that did not count all of them is counted in part.
  const pagesOf = (row: EndingOnDay) =>
    bounded({ ...row, isAtLeast: countedUntil < until && row.day === isoDate(countedUntil) });
  const empty = "No rights end in this time. A licence with an end, or retention of a policy, ends rights.";
  return html`
${barChart({
  title: "Stored pages whose rights end, by UTC day",
  parts: ["pages"],
  rows: names.map((name) => ({ name, own: rows.filter((row) => row.day === name) })),
  bar: ({ name, own }) => ({ label: name, values: [own.reduce((sum, { pages }) => sum + pages, 0)] }),
  top: String,
  columns: [
    { title: "UTC day", cell: ({ name }) => day(name) },
    {
      title: "Pages",
      cell: ({ own }) =>
        html`${own.map((row) => html`<div>${foreign(row.host)}: ${pagesOf(row)} ${row.action}</div>`)}`,
      isNumber: true,
    },
  ],
  empty,
})}
${
  rows.length > 0 &&
  table<EndingOnDay>({
    caption: "Rights that end, by UTC day, site and what happens then",
    columns: [
      { title: "UTC day", cell: (row) => day(row.day) },
      { title: "Site", cell: ({ host }) => link(address`/sites/${host}`, foreign(host)) },
      { title: "Then", cell: ({ action }) => action },
      { title: "Pages", cell: pagesOf, isNumber: true },
    ],
    rows,
    empty,
  })
}`;
}

const earliest = ({ earliest: rows }: RightsCalendar): Html =>
  table<EndingDocument>({
    caption: "The pages whose rights end next",
    columns: [
      { title: "Page", cell: ({ url, purchaseId }) => link(address`/documents/${purchaseId}`, foreign(url)) },
      { title: "Rights end", cell: ({ endsAt }) => instant(endsAt) },
      { title: "Why", cell: ({ why }) => why },
      { title: "Then", cell: ({ action }) => action },
    ],
    rows,
    empty: "No rights to a stored page end in this time.",
  });

const ended = ({ ended: rows }: RightsCalendar): Html =>
  table<EndedRights>({
    caption: "Stored pages whose rights have ended, by site and what is to happen with them",
    columns: [
      { title: "Site", cell: ({ host }) => link(address`/sites/${host}`, foreign(host)) },
      { title: "Then", cell: ({ action }) => action },
      { title: "Pages", cell: bounded, isNumber: true },
    ],
    rows,
    empty: "No rights to a stored page have ended.",
  });
