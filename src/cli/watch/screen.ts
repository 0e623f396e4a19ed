/**
 * A text that changes in place on a terminal. Each line is written over the one that stood there, in one write a frame, so nothing flickers. A
 * frame that is higher than the terminal is cut: what has left the screen could not be written over.
 */
import type { CliIo } from "../cli-io.ts";
import { writeOutput } from "../output/output.ts";

const DEFAULT_ROWS = 24;
/** Without it, a line that is too long would take two rows. */
const NO_WRAP = "\u001b[?7l";
const WRAP = "\u001b[?7h";
const CLEAR_TO_END_OF_LINE = "\u001b[K";
const CLEAR_BELOW = "\u001b[J";

export interface Screen {
  /** Shows a text instead of the one before. Writes nothing when it is the same. */
  show(text: string): Promise<void>;
}

export function createScreen(io: Pick<CliIo, "stdout">): Screen {
  let shown = "";
  let rows = 0;
  return {
    show: async (text) => {
      if (text === shown) {
        return;
      }
      const lines = cutTo(text.replace(/\n$/, "").split("\n"), (io.stdout.rows?.() ?? DEFAULT_ROWS) - 1);
      const up = rows === 0 ? "\r" : `\r\u001b[${rows}A`;
      const drawn = lines.map((line) => `${line}${CLEAR_TO_END_OF_LINE}\n`).join("");
      shown = text;
      rows = lines.length;
      await writeOutput(io, `${NO_WRAP}${up}${drawn}${CLEAR_BELOW}${WRAP}`);
    },
  };
}

function cutTo(lines: readonly string[], most: number): readonly string[] {
  const rows = Math.max(1, most);
  return lines.length <= rows ? lines : [...lines.slice(0, rows - 1), `  … ${lines.length - rows + 1} more lines`];
}
