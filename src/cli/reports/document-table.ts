/** Stored documents as people read them. */
import type { DocumentDetails, DocumentSearchReport } from "../../agent/documents/find-documents-agent.ts";
import { formatAmountCell, formatInstant, plural } from "../output/format-values.ts";
import type { Layout } from "../output/layout.ts";
import { section } from "../output/report-sections.ts";
import { formatLine, listTable } from "../output/text-table.ts";
import { formatActs } from "./act-table.ts";
import { formatTerms } from "./rate-findings.ts";

export function formatDocuments({ documents, looked, nextCursor }: DocumentSearchReport, layout: Layout): string {
  const table = listTable(
    documents,
    [
      { title: "document", align: "right", cell: ({ purchaseId }) => String(purchaseId) },
      { title: "stored", cell: ({ boughtAt }) => formatInstant(boughtAt) },
      { title: "license", cell: ({ license }) => formatTerms(license) },
      { title: "price", align: "right", cell: ({ priceMicros, currency }) => formatAmountCell(priceMicros, currency) },
      { title: "page", below: true, cell: ({ url }) => url },
      { title: "title", wrap: true, below: true, cell: ({ title }) => title ?? "" },
    ],
    layout,
  );
  const found = documents.length === 0 ? `No document was found among ${looked} that were looked at.\n` : table;
  return `${found}${nextCursor === null ? "" : `Look further: the same command with --cursor ${nextCursor}\n`}`;
}

export function formatDocument(details: DocumentDetails, layout: Layout): string {
  const { title, author, markdownChars, htmlChars, version, acts } = details;
  const { url, purchaseId, runId, boughtAt, hash, policyName, rule, licenseText, chargedMicros, currency, rights } =
    version;
  const lines = [
    `Document ${purchaseId}: ${url}`,
    `Title: ${title ?? "none"}${author === null ? "" : `, by ${author}`}`,
    `Stored: ${formatInstant(boughtAt)} by ${runId}${version.isNewest ? "" : "; a newer version is stored"}`,
    `Licence: ${licenseText ?? "none: it was fetched for indexing"}`,
    `Charged: ${formatAmountCell(chargedMicros, currency)}, under ${policyName}: ${rule ?? "its rule was not recorded"}`,
    `Hash: ${hash}`,
    `Rights: ${rights === null ? "without an end" : `end ${formatInstant(rights.endsAt)} (${rights.why}), then ${rights.action}`}`,
    `Texts: ${[describeChars("Markdown", markdownChars), describeChars("HTML", htmlChars)].filter((one) => one !== "").join(", ") || "none"}`,
  ];
  return [
    ...lines.map((line) => formatLine(line, layout)),
    ...section("Who decided", formatActs(acts, layout), layout),
    formatLine(`The whole evidence: licet evidence ${url}`, layout),
  ].join("");
}

const describeChars = (name: string, chars: number | null) =>
  chars === null ? "" : `${name} of ${plural(chars, "character")}`;
