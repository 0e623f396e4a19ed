import { resolve } from "node:path";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type { DocumentedVersion, Evidence, EvidenceOptions } from "../../agent/evidence/evidence-agent.ts";
import { type VerifiedFile, verifyDocuments } from "../../agent/evidence/verify-documents.ts";
import { createNewFile } from "../../agent/files/new-file.ts";
import { LicetError } from "../../errors.ts";
import type { EvidenceUse } from "../../ledger/evidence-ledger.ts";
import { plainText } from "../../plain-text.ts";
import type { CliCommand } from "../cli-command.ts";
import { EXIT, type ExitCode, exitCodeOfVerify } from "../exit-code.ts";
import { toExportError } from "../export/export-error.ts";
import { formatAmount, formatInstant, plural } from "../output/format-values.ts";
import type { Layout } from "../output/layout.ts";
import { section } from "../output/report-sections.ts";
import { toSafeJson } from "../output/safe-json.ts";
import { listTable, textTable, wrapText } from "../output/text-table.ts";
import { formatActs } from "../reports/act-table.ts";
import type { Session } from "../session.ts";

interface EvidenceFlags extends EvidenceOptions {
  readonly out?: string;
  readonly verify?: string;
}

export function declareEvidence(command: CliCommand): void {
  command
    .argument("[url|hash]", "the page, or the hash of a document (sha256:…)")
    .limit("at most so many versions (default: 100)", INPUTS.evidence.limit)
    .option("--out <file>", "write it to a file, as --json prints it")
    .option(
      "--verify <file>",
      "recompute the hash of each document in an export (JSONL), without ledger or configuration",
    )
    .examples([
      ["licet evidence https://news.example/2026/article", ""],
      ["licet evidence sha256:2c26…7ae3 --out evidence.json", "for a lawyer"],
      ["licet evidence --verify export/documents.jsonl", "match or no match: exit code 0 or 1"],
    ])
    .does(evidence);
}

function evidence(
  session: Session,
  subject: string | undefined,
  { out, verify, limit }: EvidenceFlags,
): Promise<ExitCode> {
  if ((subject === undefined) === (verify === undefined) || (verify !== undefined && (out ?? limit) !== undefined)) {
    throw new LicetError("USAGE_INVALID", "name a page, a hash, or with --verify a file of documents: one of them", {
      hint: "licet evidence URL, licet evidence sha256:…, or licet evidence --verify FILE",
    });
  }
  return subject === undefined ? verifyExport(session, verify ?? "") : showEvidence(session, subject, { out, limit });
}

function showEvidence(
  session: Session,
  subject: string,
  { out, limit }: { readonly out: string | undefined; readonly limit: number | undefined },
): Promise<ExitCode> {
  return session.withLedger(async (agent) => {
    const found = await agent.evidence(subject, { limit });
    if (out === undefined) {
      await session.print(found, (layout) => formatEvidence(found, layout));
      return EXIT.done;
    }
    const file = resolve(session.io.cwd, out);
    await writeEvidence(file, found);
    const versions = found.versions.length;
    await session.print(
      { file, versions },
      () => `${plainText(`${plural(versions, "version")} of ${found.subject}: ${file}`)}\n`,
    );
    return EXIT.done;
  });
}

/** The file is complete or absent. */
async function writeEvidence(path: string, found: Evidence): Promise<void> {
  const file = await createNewFile(path, { toError: toExportError });
  try {
    await file.write(`${toSafeJson(found)}\n`);
    await file.finish();
  } finally {
    await file.discard();
  }
}

async function verifyExport(session: Session, file: string): Promise<ExitCode> {
  const verified = await verifyDocuments(resolve(session.io.cwd, file));
  await session.print(verified, () => formatVerified(verified));
  return exitCodeOfVerify(verified);
}

export function formatVerified({ file, ok, match, noMatch, mismatches }: VerifiedFile): string {
  const lines = mismatches.map(
    ({ line, url, named, computed }) =>
      `no match: line ${line}, ${url ?? "a document without a URL"}\n  it names ${named}\n  its text has ${computed}\n`,
  );
  const sum = ok
    ? `match: ${plural(match, "document")} of ${file} ${match === 1 ? "has" : "have"} the hash that is named.\n`
    : noMatch === 0
      ? `no document is in ${file}.\n`
      : `no match: ${noMatch} of ${plural(match + noMatch, "document")} in ${file}.\n`;
  return [...lines, sum].map((text) => text.split("\n").map(plainText).join("\n")).join("");
}

export function formatEvidence({ subject, versions, hasMore, hashCovers, acts }: Evidence, layout: Layout): string {
  return [
    `${plainText(`${subject}: ${plural(versions.length, "version")}${hasMore ? ", and more (--json, --limit)" : ""}`)}\n`,
    ...versions.map((version) => formatVersion(version, layout)),
    ...section("Who decided", formatActs(acts, layout), layout),
    `\n${wrapText(hashCovers, layout.columns).join("\n")}\n`,
  ].join("");
}

function formatVersion(version: DocumentedVersion, layout: Layout): string {
  const { url, purchaseId, isNewest, purged, uses, usesTotal } = version;
  const state = purged !== null ? "purged" : isNewest ? "stored" : "an earlier version";
  const rows = describe(version).map(([name, value]) => [name, value]);
  const more = usesTotal > uses.filter(({ kind }) => kind === "use").length ? `  ${usesTotal} later uses in all\n` : "";
  return [
    ...section(
      plainText(`Purchase ${purchaseId} of ${url} (${state})`),
      textTable(null, rows, ["left", "left"]),
      layout,
    ),
    ...section("Uses", formatUses(uses, layout) + more, layout),
  ].join("");
}

function describe(version: DocumentedVersion): (readonly [string, string])[] {
  const { currency, license, rights, purged, rule, requestId } = version;
  const amount = (micros: DocumentedVersion["chargedMicros"]) => formatAmount(micros, currency);
  const fee = version.chargedFeeMicros ?? version.quotedFeeMicros;
  return [
    ["hash", version.hash],
    [
      "bought",
      `${formatInstant(version.boughtAt)} UTC in ${version.runId}${version.boughtUrl === version.url ? "" : ` as ${version.boughtUrl}`}`,
    ],
    ["rule", `${version.policyName}, rule ${version.ruleIndex + 1}${rule === null ? "" : `: ${rule}`}`],
    ["licence", version.licenseText ?? "none: it was fetched for indexing"],
    ...(license === null ? [] : [["as answered", JSON.stringify(license)] as const]),
    [
      "price",
      license === null
        ? "none"
        : `quoted at ${amount(version.quotedMicros)}, token up to ${amount(version.tokenCapMicros)}, charged ${amount(version.chargedMicros)}${fee === 0 ? "" : `, fee ${amount(fee)}`}${requestId === null ? "" : ` (request ${requestId})`}`,
    ],
    [
      "rights",
      rights === null
        ? "without an end"
        : `${rights.hasEnded ? "ended" : "until"} ${formatInstant(rights.endsAt)} UTC (${rights.why}); then: ${rights.action}`,
    ],
    ...(purged === null
      ? []
      : [
          [
            "purged",
            `${formatInstant(purged.purgedAt)} UTC by ${purged.by ?? "somebody who is not known"} (${purged.why})`,
          ] as const,
        ]),
  ];
}

function formatUses(uses: readonly EvidenceUse[], layout: Layout): string {
  return listTable(
    uses,
    [
      { title: "used", cell: ({ usedAt }) => formatInstant(usedAt) },
      { title: "kind", cell: ({ kind }) => kind },
      { title: "times", align: "right", cell: ({ times }) => String(times) },
      { title: "state", cell: ({ state }) => state },
      {
        title: "charged",
        align: "right",
        cell: ({ chargedMicros, currency }) => formatAmount(chargedMicros, currency),
      },
      { title: "report", below: true, cell: ({ idempotencyId }) => idempotencyId ?? "-" },
      {
        title: "receipt",
        wrap: true,
        below: true,
        cell: ({ receipts }) => receipts.map(describeReceipt).join("; ") || "none yet",
      },
    ],
    layout,
  );
}

function describeReceipt({ at, totalMicros, currency, error }: EvidenceUse["receipts"][number]): string {
  const said = error === null ? "" : `, ${error}`;
  return `${formatInstant(at)}: ${formatAmount(totalMicros, currency)} for the report's uses of the page${said}`;
}
