import { isLicetError, messageOf } from "../../errors.ts";
import { plainLines, plainText } from "../../plain-text.ts";
import type { CliIo } from "../cli-io.ts";
import { journalPriority } from "../log/event-log.ts";
import type { FailureNotes } from "../session.ts";
import { toSafeJson } from "./safe-json.ts";

const REPORT_HINT = "This is a bug in licet; please report it. LICET_DEBUG=1 shows where it happened.";

/**
 * Prints an error: on stderr for people, as the one JSON document on stdout for programs. The hint comes after the message, once. A
 * stack only with `debug`.
 */
export async function printError(
  io: CliIo,
  error: unknown,
  { json, debug, failure }: { readonly json: boolean; readonly debug: boolean; readonly failure: FailureNotes },
): Promise<void> {
  const own = isLicetError(error) ? error.toJSON() : toBugReport(error);
  const { runId } = failure;
  const hint = joinHints(own.hint, failure.hint);
  const shown = hint === undefined ? own : { ...own, hint };
  // Nothing reaches a stdout that cannot be written, so stderr says it.
  if (json && !isLicetError(error, "OUTPUT_UNWRITABLE")) {
    await io.stdout.write(`${toSafeJson({ ...(runId === undefined ? {} : { runId }), error: shown })}\n`);
  } else {
    const hintLine = hint === undefined ? "" : `  hint: ${plainText(hint)}\n`;
    const text = `licet: ${plainLines(shown.message)}\n${hintLine}`;
    await io.stderr.write(text.replace(/^(?=.)/gm, journalPriority(io, "error")));
  }
  if (debug && error instanceof Error && error.stack !== undefined) {
    await io.stderr.write(`${plainLines(error.stack)}\n`);
  }
}

/** Two sentences. A hint may end without a full stop. */
function joinHints(first: string | undefined, second: string | undefined): string | undefined {
  if (first === undefined || second === undefined) {
    return first ?? second;
  }
  return `${/[.!?]$/.test(first) ? first.slice(0, -1) : first}; ${second}`;
}

function toBugReport(error: unknown): { code: string; message: string; hint?: string; details: object } {
  const message = plainText(messageOf(error));
  return { code: "BUG", message, hint: REPORT_HINT, details: {} };
}
