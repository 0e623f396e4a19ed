import { isLicetError, LicetError } from "../../errors.ts";
import { plainText } from "../../plain-text.ts";
import type { CliCommand } from "../cli-command.ts";
import { type ExitCode, exitCodeOfExport } from "../exit-code.ts";
import { COMPRESSIONS, type Compression } from "../export/compression.ts";
import { describePlace } from "../export/export-new.ts";
import { type ExportFormat, FORMATS, findPlace } from "../export/export-place.ts";
import { type Exported, type ExportRequest, runExport, SINCE_LAST } from "../export/run-export.ts";
import { TRUST_CLOCK } from "../input/parse-arguments.ts";
import { watchInterrupts } from "../interrupts.ts";
import { createEventLog } from "../log/event-log.ts";
import { plural } from "../output/format-values.ts";
import type { Session } from "../session.ts";

interface ExportFlags {
  readonly format?: ExportFormat;
  readonly out?: string;
  readonly site?: string;
  readonly run?: string;
  readonly since?: string;
  readonly cursor?: string;
  readonly compress?: Compression;
  readonly trustClock?: true;
}

export function declareExport(command: CliCommand): void {
  command
    .choice("--format <format>", "the form; needed", FORMATS)
    .option("--out <dir>", "the directory, or a file; - writes JSON lines to stdout; needed")
    .option("--since <when>", "last: what was not exported there yet; or a date, or a run: what was stored since")
    .option("--site <host>", "only this site")
    .option("--run <run>", "only what this run bought")
    .choice("--compress <method>", "compress the file", COMPRESSIONS)
    .option("--cursor <name>", "the name of what --since last remembers; by default one for each place and form")
    .option("--trust-clock", TRUST_CLOCK)
    .examples([
      ["licet export --format markdown --out pages", "pages/<host>/<path>.md, with YAML front matter"],
      ["licet export --format jsonl --out dump", "dump/documents.jsonl"],
      ["licet export --format jsonl --out - | jq -r .url", ""],
      [
        "licet export --format parquet --out lake --since last",
        "lake/documents-<from>-<to>.parquet, each document once",
      ],
      ["licet export --format jsonl --out new.jsonl.gz --since 2026-11-01", ""],
    ])
    .does(exportDocuments);
}

async function exportDocuments(session: Session, flags: ExportFlags): Promise<ExitCode> {
  const request = await toRequest(session, flags);
  const toStdout = request.place.kind === "stdout";
  const log = createEventLog(session.io, session.logging);
  const exported = await session.withLedger(async (agent) => {
    const interrupts = watchInterrupts(session.io, {
      say: log.warn,
      finishing: toStdout ? "the page in work is written" : "the file in work is being removed",
      farewell: () => (toStdout ? "the output is not complete" : "every file with its final name is complete"),
    });
    try {
      return await runExport(agent, request, { io: session.io, signal: interrupts.signal });
    } catch (error) {
      throw interrupts.interrupted() && !isLicetError(error) ? interruptedExport(toStdout) : error;
    } finally {
      interrupts.stop();
    }
  });
  const { outcome, cursor } = exported;
  if (toStdout) {
    log.info(`${plural(outcome.documents, "page")} written to stdout`, { documents: outcome.documents });
    return exitCodeOfExport({ skipped: 0 });
  }
  const { format, since, site, run, compress = null } = request;
  const { documents, files, bytes, skipped, skippedCount } = outcome;
  const report = { format, out: describePlace(request.place), documents, files, bytes, skipped, skippedCount };
  await session.print({ ...report, since, site, run, compress, cursor }, () => formatExport(exported, request));
  return exitCodeOfExport({ skipped: skippedCount });
}

/** @throws LicetError USAGE_INVALID */
async function toRequest({ io, json }: Session, flags: ExportFlags): Promise<ExportRequest> {
  const { format, out } = requirePlace(flags);
  const { compress, cursor = null, since = null } = flags;
  if (cursor !== null && since !== SINCE_LAST) {
    throw new LicetError("USAGE_INVALID", "--cursor is the name of what --since last remembers", {
      hint: "add --since last",
    });
  }
  const site = flags.site?.toLowerCase() ?? null;
  const settings = { format, out, site, run: flags.run ?? null, ...(compress === undefined ? {} : { compress }) };
  const { trustClock = false } = flags;
  return { ...settings, since, cursor, trustClock, place: await findPlace(settings, io.cwd, json) };
}

/** Names all that is missing at once, with a command that works. */
function requirePlace({ format, out }: ExportFlags): { readonly format: ExportFormat; readonly out: string } {
  if (format !== undefined && out !== undefined) {
    return { format, out };
  }
  const missing = [...(format === undefined ? ["--format"] : []), ...(out === undefined ? ["--out"] : [])];
  throw new LicetError("USAGE_INVALID", `export needs a form and a place: ${missing.join(" and ")} missing`, {
    hint: `licet export --format ${format ?? "markdown"} --out ${out ?? "pages"}. The forms: ${FORMATS.join(", ")}`,
  });
}

function interruptedExport(toStdout: boolean): LicetError {
  const what = toStdout ? "the output is not complete" : "every written file is complete";
  return new LicetError("INTERRUPTED", `the export was interrupted; ${what}`, {
    hint: "Start it again.",
  });
}

function formatExport({ outcome, cursor }: Exported, { site, since, place }: ExportRequest): string {
  const { documents, files, skipped, skippedCount } = outcome;
  const nothing = since === null ? "No page is stored" : "No page is new";
  const lines = [
    `Wrote ${plural(documents, "page")} in ${plural(files, "file")} to ${describePlace(place)}`,
    ...(documents === 0 && skippedCount === 0 ? [`${nothing}${site === null ? "" : ` of ${site}`}.`] : []),
    ...(cursor?.repeated === true ? [describeRepeated(place.kind === "file")] : []),
    ...skipped.map(({ url, reason }) => `Skipped ${url}: ${reason}`),
    ...(skippedCount > skipped.length ? [`… and ${skippedCount - skipped.length} more`] : []),
  ];
  return lines.map((line) => `${plainText(line)}\n`).join("");
}

function describeRepeated(isAlone: boolean): string {
  return isAlone
    ? "These are the documents of an export that did not end. Export again for what was stored after it."
    : "An export that did not end was repeated first, to the same files.";
}
