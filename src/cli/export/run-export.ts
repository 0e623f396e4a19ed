/** One export: which documents, how, and to where. */
import type { Agent } from "../../agent/agent.ts";
import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import type { CliIo } from "../cli-io.ts";
import { writeOutput } from "../output/output.ts";
import { openExportDirectory } from "./export-directory.ts";
import { exportFile } from "./export-file.ts";
import { exportLine } from "./export-line.ts";
import { type CursorReport, cursorNameOf, exportNew, targetOf, type WriteRange } from "./export-new.ts";
import { type ExportOutcome, NOTHING } from "./export-outcome.ts";
import { compressionOf, type ExportPlace, type ExportSettings, fileName } from "./export-place.ts";

export interface ExportRequest extends ExportSettings {
  readonly place: ExportPlace;
  /** `last`, a run, or a date. Null: all. */
  readonly since: string | null;
  /** The cursor of `last`, if it was named. */
  readonly cursor: string | null;
  /** A person says that the clock is right. */
  readonly trustClock: boolean;
}

export interface Exported {
  readonly outcome: ExportOutcome;
  /** Null without a cursor. */
  readonly cursor: CursorReport | null;
}

interface Surroundings {
  readonly io: Pick<CliIo, "stdout">;
  readonly signal: AbortSignal;
}

export const SINCE_LAST = "last";

export async function runExport(agent: Agent, request: ExportRequest, around: Surroundings): Promise<Exported> {
  return request.since === SINCE_LAST ? runNew(agent, request, around) : runAll(agent, request, around);
}

async function runAll(agent: Agent, request: ExportRequest, around: Surroundings): Promise<Exported> {
  const { site, run, since, format } = request;
  const documents = await beginReading(
    agent.documents({
      site: site ?? undefined,
      run: run ?? undefined,
      since: since ?? undefined,
      deriveMarkdown: format === "markdown",
    }),
  );
  const outcome = await write(documents, {
    request,
    around,
    name: fileName(request, null),
    writer: null,
    firstOfRange: null,
  });
  return { outcome, cursor: null };
}

async function runNew(agent: Agent, request: ExportRequest, around: Surroundings): Promise<Exported> {
  const { site, run, format, place } = request;
  const cursor = request.cursor ?? cursorNameOf(request, place);
  const writeRange: WriteRange = async (documents, range) => {
    const [first, all] = await lookAhead(documents);
    if (first === null && place.kind !== "file") {
      return { outcome: NOTHING, hasArrived: true };
    }
    const firstOfRange = place.kind === "file" ? null : first;
    const name = fileName(request, range);
    const outcome = await write(all, { request, around, name, writer: cursor, firstOfRange });
    return { outcome, hasArrived: outcome.isComplete };
  };
  const compression = compressionOf(place, request);
  const { outcome, report } = await exportNew(
    agent,
    {
      cursor,
      target: targetOf(format, place, compression === null ? "" : `, ${compression}`),
      site: site ?? undefined,
      run: run ?? undefined,
      deriveMarkdown: format === "markdown",
      trustClock: request.trustClock,
      keepsRanges: place.kind !== "file",
    },
    writeRange,
  );
  if (place.kind === "file" && report.through === null) {
    // Whoever reads the file after each export must not take the last documents for new ones.
    const empty = await write(NONE, { request, around, name: place.name, writer: cursor, firstOfRange: null });
    return { outcome: empty, cursor: report };
  }
  return { outcome, cursor: report };
}

const NONE: AsyncIterable<StoredDocument> = { [Symbol.asyncIterator]: async function* none() {} };

interface Writing {
  readonly request: ExportRequest;
  readonly around: Surroundings;
  /** In a directory. A file that the user named keeps its name. */
  readonly name: string;
  readonly writer: string | null;
  readonly firstOfRange: StoredDocument | null;
}

async function write(
  documents: AsyncIterable<StoredDocument>,
  { request, around, name, writer, firstOfRange }: Writing,
): Promise<ExportOutcome & { readonly isComplete: boolean }> {
  const { place, format } = request;
  const { io, signal } = around;
  if (place.kind === "stdout") {
    return exportToStdout(io, documents, signal);
  }
  const directory = await openExportDirectory(place.path);
  const outcome =
    format === "markdown"
      ? await (await import("./export-markdown.ts")).exportMarkdown(directory, documents, signal, writer)
      : await exportFile(
          {
            directory,
            name: place.kind === "file" ? place.name : name,
            format,
            compression: compressionOf(place, request),
            writer,
            firstOfRange,
          },
          documents,
          signal,
        );
  return { ...outcome, isComplete: true };
}

/** Reads the first document before anything is written, so that no directory is created when the ledger cannot be read. */
async function beginReading(documents: AsyncIterableIterator<StoredDocument>): Promise<AsyncIterable<StoredDocument>> {
  return (await lookAhead(documents))[1];
}

/** @returns the first document, and all of them */
async function lookAhead(
  documents: AsyncIterable<StoredDocument>,
): Promise<readonly [StoredDocument | null, AsyncIterable<StoredDocument>]> {
  const rest = documents[Symbol.asyncIterator]();
  const first = await rest.next();
  async function* all() {
    try {
      for (let next = first; next.done !== true; next = await rest.next()) {
        yield next.value;
      }
    } finally {
      await rest.return?.();
    }
  }
  return [first.done === true ? null : first.value, all()];
}

interface StdoutOutcome extends ExportOutcome {
  /** False when the reader of a pipe has closed it before the end. */
  readonly isComplete: boolean;
}

/** Writes JSON lines to stdout. A reader that has seen enough (`| head`) ends it. */
async function exportToStdout(
  io: Pick<CliIo, "stdout">,
  documents: AsyncIterable<StoredDocument>,
  signal: AbortSignal,
): Promise<StdoutOutcome> {
  let count = 0;
  let bytes = 0;
  let isComplete = true;
  for await (const document of documents) {
    signal.throwIfAborted();
    const line = exportLine(document);
    await writeOutput(io, line);
    if (io.stdout.isClosed?.() === true) {
      isComplete = false;
      break;
    }
    count++;
    bytes += Buffer.byteLength(line);
  }
  return { documents: count, files: 0, bytes, skipped: [], skippedCount: 0, isComplete };
}
