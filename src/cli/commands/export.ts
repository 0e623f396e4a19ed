import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { isLicetError, LicetError } from "../../errors.ts";
import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import { createEventLog } from "../event-log.ts";
import { type ExitCode, exitCodeOfExport } from "../exit-code.ts";
import { openExportDirectory } from "../export/export-directory.ts";
import { exportJsonl } from "../export/export-jsonl.ts";
import { exportMarkdown } from "../export/export-markdown.ts";
import type { ExportOutcome } from "../export/export-outcome.ts";
import { plural } from "../format-values.ts";
import { watchInterrupts } from "../interrupts.ts";
import { examples } from "../parse-arguments.ts";
import { plainText } from "../plain-text.ts";
import type { RunCommand } from "../program.ts";
import type { Session } from "../session.ts";

interface ExportFlags {
  readonly format: "jsonl" | "markdown";
  readonly out: string;
  readonly host?: string;
}

export function addExportCommand(program: Command, run: RunCommand): void {
  program
    .command("export")
    .description("write the stored pages with their licence, price, dates and content hash")
    .addOption(new Option("--format <format>", "the form").choices(["jsonl", "markdown"]).makeOptionMandatory())
    .requiredOption("--out <dir>", "the directory")
    .option("--host <host>", "only this site")
    .addHelpText(
      "after",
      examples([
        ["licet export --format markdown --out pages", "pages/<host>/<path>.md, with YAML front matter"],
        ["licet export --format jsonl --out dump", "dump/documents.jsonl"],
      ]),
    )
    .action((flags: ExportFlags) => run((session) => exportDocuments(session, flags)));
}

async function exportDocuments(session: Session, flags: ExportFlags): Promise<ExitCode> {
  const out = resolve(session.io.cwd, flags.out);
  const outcome = await session.withAgent(async (agent) => {
    const interrupts = watchInterrupts(session.io, {
      say: createEventLog(session.io, session.logging).warn,
      finishing: "the file in work is being removed",
      farewell: () => "every file with its final name is complete",
    });
    try {
      const documents = await beginReading(
        agent.documents({
          ...(flags.host === undefined ? {} : { host: flags.host.toLowerCase() }),
          deriveMarkdown: flags.format === "markdown",
        }),
      );
      const directory = await openExportDirectory(out);
      return flags.format === "jsonl"
        ? await exportJsonl(directory, documents, interrupts.signal)
        : await exportMarkdown(directory, documents, interrupts.signal);
    } catch (error) {
      throw interrupts.interrupted() && !isLicetError(error) ? interruptedExport() : error;
    } finally {
      interrupts.stop();
    }
  });
  await session.print({ format: flags.format, out, ...outcome }, () => formatExport(outcome, flags, out));
  return exitCodeOfExport({ skipped: outcome.skippedCount });
}

/** Reads the first document before anything is written, so that no directory is created when the ledger cannot be read. */
async function beginReading(documents: AsyncIterableIterator<StoredDocument>): Promise<AsyncIterable<StoredDocument>> {
  const first = await documents.next();
  return (async function* all() {
    if (first.done !== true) {
      yield first.value;
      yield* documents;
    }
  })();
}

function interruptedExport(): LicetError {
  return new LicetError("INTERRUPTED", "the export was interrupted; every written file is complete", {
    hint: "Start it again.",
  });
}

function formatExport(
  { documents, files, skipped, skippedCount }: ExportOutcome,
  { host }: ExportFlags,
  out: string,
): string {
  const lines = [
    `Wrote ${plural(documents, "page")} in ${plural(files, "file")} to ${out}`,
    ...(documents === 0 && skippedCount === 0 ? [`No page is stored${host === undefined ? "" : ` of ${host}`}.`] : []),
    ...skipped.map(({ url, reason }) => `Skipped ${url}: ${reason}`),
    ...(skippedCount > skipped.length ? [`… and ${skippedCount - skipped.length} more`] : []),
  ];
  return lines.map((line) => `${plainText(line)}\n`).join("");
}
