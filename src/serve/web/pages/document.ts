/** One document: its text, which can do nothing, and its evidence beside it. */
import type { z } from "zod";
import type { DocumentDetails } from "../../../agent/documents/find-documents-agent.ts";
import type { EvidenceUse } from "../../../ledger/evidence-ledger.ts";
import { rowParams } from "../../api/request-parts.ts";
import { commandLine } from "../command-line.ts";
import { actTable } from "../html/act-table.ts";
import { amountColumn, oneAmount } from "../html/amount-column.ts";
import { type Html, html } from "../html/html.ts";
import { facts, section, table } from "../html/tables.ts";
import { address, amount, button, count, foreign, instant, link, NONE, query } from "../html/values.ts";
import { definePage } from "../page.ts";
import { nameLicense } from "./documents.ts";

export const DOCUMENT_PARAMS: z.ZodObject<{ id: z.ZodNumber }> = rowParams("The document's `purchaseId`.");

export const documentPage = definePage({
  path: "/documents/:id",
  input: { params: DOCUMENT_PARAMS },
  command: ({ params }) => commandLine(["documents", String(params.id)]),
  read: (reports, { params }) => reports.documentDetails(params.id),
  title: (_, { params }) => `Document ${params.id}`,
  body: (details, { asked: { params }, mayAct }) => html`
${about(details)}
${section("Text", preview(details, params.id))}
${section("Evidence", evidence(details))}
${mayAct && html`<p>${button(`/documents/purge${query({ url: details.version.url })}`, "Purge this page\u00a0…")}</p>`}`,
});

function about({ title, author, description, key, version }: DocumentDetails): Html {
  return html`${facts([
    ["Page", foreign(version.url)],
    ["Title", foreign(title)],
    ["Author", foreign(author)],
    ["Description", foreign(description)],
    ["Your name for it", foreign(key)],
    ["Site", link(address`/sites/${version.host}`, foreign(version.host))],
    ["Stored", html`${instant(version.boughtAt)}${!version.isNewest && html`: a newer version is stored`}`],
  ])}`;
}

function preview({ markdownChars, htmlChars, conversionFailure }: DocumentDetails, id: number): Html {
  if (markdownChars === null && htmlChars === null) {
    return html`<p class="empty">This document has no text: ${conversionFailure === null ? "the page came without any" : foreign(conversionFailure)}.</p>`;
  }
  return html`
<p>${markdownChars !== null && html`Markdown of ${count(markdownChars)} characters. `}${htmlChars !== null && html`HTML of ${count(htmlChars)} characters, shown as its source. `}
In the frame it can run nothing and load nothing.</p>
<iframe class="preview" sandbox="" title="Text of the document" src="${address`/documents/${id}/text`}"></iframe>`;
}

function evidence({ version, acts }: DocumentDetails): Html {
  const { currency, rights } = version;
  return html`
${facts([
  ["Hash", html`<code>${version.hash}</code>`],
  ["Licence", nameLicense(version.license)],
  ["In words", foreign(version.licenseText)],
  ["Policy", foreign(version.policyName)],
  ["Rule", version.rule === null ? "it was not recorded with the purchase" : html`<code>${version.rule}</code>`],
  ["Quoted", html`${amount(version.quotedMicros, currency)} and ${amount(version.quotedFeeMicros, currency)} fee`],
  ["Charged", html`${amount(version.chargedMicros, currency)} and ${amount(version.chargedFeeMicros, currency)} fee`],
  ["Bought by", link(address`/runs/${version.runId}`, version.runId)],
  ["Bought as", foreign(version.boughtUrl)],
  ["Request of the gateway", foreign(version.requestId)],
  [
    "Rights end",
    rights === null ? "they have no end" : html`${instant(rights.endsAt)} (${rights.why}), then: ${rights.action}`,
  ],
])}
${table<EvidenceUse>({
  caption: "Uses",
  columns: [
    { title: "Used", cell: ({ usedAt }) => instant(usedAt) },
    { title: "Kind", cell: ({ kind }) => kind },
    { title: "Times", cell: ({ times }) => count(times), isNumber: true },
    { title: "State", cell: ({ state }) => state },
    amountColumn("Unit", (use) => oneAmount(use.unitMicros, use.currency)),
    amountColumn("Charged", (use) => oneAmount(use.chargedMicros, use.currency)),
    {
      title: "Receipts",
      cell: ({ receipts }) =>
        receipts.length === 0 ? NONE : html`${receipts.map(({ at }) => html`<div>${instant(at)}</div>`)}`,
    },
  ],
  rows: version.uses,
  empty: "No use of it is recorded.",
})}
${acts.length > 0 && actTable({ caption: "Who decided what about this page", rows: acts, empty: "" })}`;
}
