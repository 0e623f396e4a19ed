import { resolve } from "node:path";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type { Evidence, EvidenceOptions } from "../../agent/evidence/evidence-agent.ts";
import { type VerifiedFile, verifyDocuments } from "../../agent/evidence/verify-documents.ts";
import { createNewFile } from "../../agent/files/new-file.ts";
import { LicetError } from "../../errors.ts";
import { plainText } from "../../plain-text.ts";
import type { CliCommand } from "../cli-command.ts";
import { EXIT, type ExitCode, exitCodeOfVerify } from "../exit-code.ts";
import { toExportError } from "../export/export-error.ts";
import { plural } from "../output/format-values.ts";
import { toSafeJson } from "../output/safe-json.ts";
import type { RunCommand } from "../program.ts";
import { formatEvidence } from "../reports/evidence-text.ts";
import type { Session } from "../session.ts";

interface EvidenceFlags extends EvidenceOptions {
  readonly out?: string;
  readonly verify?: string;
}

export function addEvidenceCommand(program: CliCommand, run: RunCommand): void {
  program
    .command("evidence")
    .description(
      "what was bought of a page or with a hash: versions, licence, rule, price, receipts, uses, rights, purge; needs no secret",
    )
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
    .action((subject: string | undefined, flags: EvidenceFlags) => run((session) => evidence(session, subject, flags)));
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
