/** Stored documents, looked for by address, title, site, license and hash. */

import { z } from "zod";
import { INPUTS } from "../../../agent/calls/inputs.ts";
import type { FoundDocument } from "../../../ledger/found-documents.ts";
import { inQuery, rows } from "../../api/request-parts.ts";
import { commandLine } from "../command-line.ts";
import { amountColumn, oneAmount } from "../html/amount-column.ts";
import { type Html, html } from "../html/html.ts";
import { table } from "../html/tables.ts";
import { address, count, foreign, instant, licenseType, link, query } from "../html/values.ts";
import { definePage } from "../page.ts";

const MAX_ROWS = 200;
const USUAL_ROWS = 50;

const INPUT = z.strictObject({ ...inQuery(INPUTS.findDocuments), limit: rows(MAX_ROWS, USUAL_ROWS) });
type Given = z.output<typeof INPUT>;

export const documentsPage = definePage({
  path: "/documents",
  menu: { group: "Content", name: "Documents" },
  title: "Documents",
  input: { query: INPUT },
  command: ({ query: given }) => commandLine(["documents"], { ...given }),
  read: (reports, asked) => reports.findDocuments(asked.query),
  body: ({ documents, looked, nextCursor }, { asked: { query: given } }) => html`
<form class="row" method="get" action="/documents">
${FIELDS.map(({ name, label }) => html`<label>${label} <input name="${name}" value="${given[name] ?? ""}" autocapitalize="off" spellcheck="false"></label>`)}
<button>Search</button>
</form>
<p class="quiet">The newest version of each page, ${given.url === undefined ? "the newest first" : "in the order of addresses"}. Titles and licences have no
index: one look takes some thousand documents. This one took ${count(looked)}.</p>
${table<FoundDocument>({
  caption: "Stored documents",
  columns: [
    { title: "Page", cell: ({ url, purchaseId }) => link(address`/documents/${purchaseId}`, foreign(url)) },
    { title: "Title", cell: ({ title }) => foreign(title) },
    { title: "Licence", cell: ({ license }) => nameLicense(license) },
    amountColumn("Price", ({ priceMicros, currency }) => oneAmount(priceMicros, currency)),
    { title: "Stored", cell: ({ boughtAt }) => instant(boughtAt) },
    { title: "Rights end", cell: ({ rights }) => instant(rights?.endsAt ?? null) },
  ],
  rows: documents,
  empty: whenNone(given, nextCursor),
  next: further(given, nextCursor),
})}`,
});

const FIELDS = [
  { name: "url", label: "Address begins with" },
  { name: "title", label: "Title has" },
  { name: "site", label: "Site" },
  { name: "license", label: "Licence (type or cuid)" },
  { name: "hash", label: "Hash" },
] as const;

export const nameLicense = (license: FoundDocument["license"]): Html =>
  license === null
    ? html`indexing`
    : html`${licenseType(license.licenseType)}${license.cuid !== null && html` ${foreign(license.cuid)}`}`;

const further = (given: Given, cursor: string | null) =>
  cursor === null ? null : `/documents${query({ ...given, cursor })}`;

function whenNone(given: Given, nextCursor: string | null): Html {
  const next = further(given, nextCursor);
  if (next !== null) {
    return html`None of these documents matches. ${link(next, "Look further")}`;
  }
  return FIELDS.some(({ name }) => given[name] !== undefined) || given.cursor !== undefined
    ? html`No document matches. ${link("/documents", "All documents")}. Of a page that is not stored, <code>licet explain URL</code> says what became of it.`
    : html`No document is stored yet. <code>licet run</code> buys the pages that the policies allow.`;
}
