import { LicetError } from "../../errors.ts";
import type { CliIo } from "../cli-io.ts";

/**
 * Writes to stdout.
 * @throws LicetError OUTPUT_UNWRITABLE: a full disk behind a redirection, a closed terminal
 */
export async function writeOutput({ stdout }: Pick<CliIo, "stdout">, text: string): Promise<void> {
  try {
    await stdout.write(text);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? null;
    throw new LicetError("OUTPUT_UNWRITABLE", `stdout cannot be written${code === null ? "" : ` (${code})`}`, {
      hint:
        code === "ENOSPC" || code === "EDQUOT"
          ? "Free some disk space. The command itself has done its work: licet status shows the result."
          : "Check where the output goes. The command itself has done its work: licet status shows the result.",
      details: { code },
      cause: error,
    });
  }
}
