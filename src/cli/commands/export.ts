import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { isLicetError, LicetError } from "../../errors.ts";
import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import { createEventLog } from "../event-log.ts";
import { type ExitCode, exitCodeOfExport } from "../exit-code.ts";
import { openExportDirectory } from "../export/export-directory.ts";
import { exportJsonl, exportToStdout } from "../export/export-jsonl.ts";
import { exportMarkdown } from "../export/export-markdown.ts";
import type { ExportOutcome } from "../export/export-outcome.ts";
import { plural } from "../format-values.ts";
import { watchInterrupts } from "../interrupts.ts";
import { examples } from "../parse-arguments.ts";
import { plainText } from "../plain-text.ts";
import type { RunCommand } from "../program.ts";
import type { Session } from "../session.ts";

/** The value of --out for stdout. */
const STDOUT = "-";

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
    .requiredOption("--out <dir>", "the directory; - writes JSON lines to stdout")
    .option("--host <host>", "only this site")
    .addHelpText(
      "after",
      examples([
        ["licet export --format markdown --out pages", "pages/<host>/<path>.md, with YAML front matter"],
        ["licet export --format jsonl --out dump", "dump/documents.jsonl"],
        ["licet export --format jsonl --out - | jq -r .url", ""],
      ]),
    )
    .action((flags: ExportFlags) => run((session) => exportDocuments(session, flags)));
}

async function exportDocuments(session: Session, flags: ExportFlags): Promise<ExitCode> {
  const toStdout = flags.out === STDOUT;
  if (toStdout) {
    checkStdout(session, flags);
  }
  const out = toStdout ? "stdout" : resolve(session.io.cwd, flags.out);
  const log = createEventLog(session.io, session.logging);
  const outcome = await session.withAgent(async (agent) => {
    const interrupts = watchInterrupts(session.io, {
      say: log.warn,
      finishing: toStdout ? "the page in work is written" : "the file in work is being removed",
      farewell: () => (toStdout ? "the output is not complete" : "every file with its final name is complete"),
    });
    try {
      const documents = await beginReading(
        agent.documents({
          ...(flags.host === undefined ? {} : { host: flags.host.toLowerCase() }),
          deriveMarkdown: flags.format === "markdown",
        }),
      );
      if (toStdout) {
        return await exportToStdout(session.io, documents, interrupts.signal);
      }
      const directory = await openExportDirectory(out);
      return flags.format === "jsonl"
        ? await exportJsonl(directory, documents, interrupts.signal)
        : await exportMarkdown(directory, documents, interrupts.signal);
    } catch (error) {
      throw interrupts.interrupted() && !isLicetError(error) ? interruptedExport(toStdout) : error;
    } finally {
      interrupts.stop();
    }
  });
  if (toStdout) {
    log.info(`${plural(outcome.documents, "page")} written to stdout`, { documents: outcome.documents });
    return exitCodeOfExport({ skipped: 0 });
  }
  await session.print({ format: flags.format, out, ...outcome }, () => formatExport(outcome, flags, out));
  return exitCodeOfExport({ skipped: outcome.skippedCount });
}

/** @throws LicetError USAGE_INVALID for what cannot go to stdout */
function checkStdout(session: Session, { format }: ExportFlags): void {
  if (format === "markdown") {
    throw new LicetError("USAGE_INVALID", "Markdown cannot go to stdout: each page is a file of its own", {
      hint: "name a directory with --out, or use --format jsonl --out -",
    });
  }
  if (session.json) {
    throw new LicetError("USAGE_INVALID", "--json and --out - both write to stdout", { hint: "leave out --json" });
  }
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

function interruptedExport(toStdout: boolean): LicetError {
  const what = toStdout ? "the output is not complete" : "every written file is complete";
  return new LicetError("INTERRUPTED", `the export was interrupted; ${what}`, {
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
