import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { LicetError } from "../../errors.ts";
import type { Session } from "../session.ts";

/**
 * The bytes of a file that `--from` names, or of stdin for `-`.
 * @param hint the expected content of the file
 * @throws LicetError INPUT_INVALID for a file that cannot be read
 */
export async function* readSourceFile({ io }: Session, from: string, hint: string): AsyncGenerator<Uint8Array> {
  if (from === "-") {
    yield* io.stdin;
    return;
  }
  const path = resolve(io.cwd, from);
  try {
    yield* createReadStream(path);
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    throw new LicetError("INPUT_INVALID", `${path} cannot be read (${code})`, {
      hint,
      details: { path, code },
      cause: error,
    });
  }
}
