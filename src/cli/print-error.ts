import { isLicetError } from "../errors.ts";
import type { CliIo } from "./cli-io.ts";
import { plainLines, plainText } from "./plain-text.ts";
import { toSafeJson } from "./safe-json.ts";

const REPORT_HINT = "This is a bug in licet; please report it. LICET_DEBUG=1 shows where it happened.";

/** Prints an error: on stderr for people, as the one JSON document on stdout for programs. Never a stack. */
export async function printError(io: CliIo, error: unknown, json: boolean): Promise<void> {
  const shown = isLicetError(error) ? error.toJSON() : toBugReport(error);
  if (json) {
    await io.stdout.write(`${toSafeJson({ error: shown })}\n`);
  } else {
    const hint = shown.hint === undefined ? "" : `  hint: ${plainText(shown.hint)}\n`;
    await io.stderr.write(`licet: ${plainLines(shown.message)}\n${hint}`);
  }
  if (io.debug && error instanceof Error && error.stack !== undefined) {
    await io.stderr.write(`${plainLines(error.stack)}\n`);
  }
}

function toBugReport(error: unknown): { code: string; message: string; hint?: string; details: object } {
  const message = plainText(error instanceof Error ? error.message : String(error));
  return { code: "BUG", message, hint: REPORT_HINT, details: {} };
}
