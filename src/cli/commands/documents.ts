import { INPUTS } from "../../agent/calls/inputs.ts";
import type {
  DocumentDetails,
  DocumentSearchOptions,
  DocumentSearchReport,
} from "../../agent/documents/find-documents-agent.ts";
import type { CliCommand } from "../cli-command.ts";
import { parseText, parseWholeUpTo } from "../input/parse-arguments.ts";
import { formatAmountCell, formatInstant, plural } from "../output/format-values.ts";
import { parseHost } from "../output/host-name.ts";
import type { Layout } from "../output/layout.ts";
import { section } from "../output/report-sections.ts";
import { formatLine, listTable } from "../output/text-table.ts";
import { formatActs } from "../reports/act-table.ts";
import { formatTerms } from "../reports/rate-findings.ts";

export function declareDocuments(command: CliCommand): void {
  const text = (name: "url" | "title" | "license" | "hash" | "cursor") => parseText(INPUTS.findDocuments[name]);
  command
    .argument("[id]", "one document, by its purchase: its evidence", parseWholeUpTo(Number.MAX_SAFE_INTEGER))
    .option("--url <url>", "the beginning of the address", text("url"))
    .option("--title <part>", "a part of the title", text("title"))
    .option("--site <host>", "only this site", parseHost)
    .option("--license <license>", "only this licence: its type or its cuid", text("license"))
    .option("--hash <hash>", "the hash of the whole document", text("hash"))
    .limit("at most so many (default: 50)", INPUTS.findDocuments.limit)
    .option("--cursor <cursor>", "look further behind an earlier page: its nextCursor", text("cursor"))
    .examples([
      ["licet documents", "the newest ones"],
      ['licet documents --site news.example --title "harbour"', ""],
      ["licet documents 42 --json", "the evidence of one"],
    ])
    .does((session, id: number | undefined, flags: DocumentSearchOptions) =>
      id === undefined
        ? session.answerFromLedger((agent) => agent.findDocuments(flags), formatDocuments)
        : session.answerFromLedger((agent) => agent.documentDetails(id), formatDocument),
    );
}

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
