import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import type { CliIo } from "../cli-io.ts";
import { writeOutput } from "../output/output.ts";
import { exportLine } from "./export-line.ts";
import type { ExportOutcome } from "./export-outcome.ts";

export interface StdoutOutcome extends ExportOutcome {
  /** False when the reader of a pipe has closed it before the end. */
  readonly isComplete: boolean;
}

/** Writes JSON lines to stdout. A reader that has seen enough (`| head`) ends it. */
export async function exportToStdout(
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
