/** How text for people is laid out on one stream: its width, and its colours. Text for programs (JSON, CSV) has neither. */
import { styleText } from "node:util";
import type { CliIo, TextSink } from "../cli-io.ts";

/** What a colour means: `good` needs nobody, `caution` may need somebody, `bad` needs somebody. */
export type Tone = "good" | "caution" | "bad";

export interface Layout {
  /** The columns that a line may have. Infinity where nobody looks at lines: a pipe, a file. */
  readonly columns: number;
  /** Colours a text. The text must be clean already. */
  paint(tone: Tone, text: string): string;
}

/** For a stream that is not a terminal: lines of any width, no colours. */
export const PLAIN_LAYOUT: Layout = { columns: Number.POSITIVE_INFINITY, paint: (_tone, text) => text };

/** Below this a line holds no run id. Terminals that say so are wrong, or nobody can read them. */
const MIN_COLUMNS = 30;

const COLORS = { good: "green", caution: "yellow", bad: "red" } as const satisfies Record<Tone, string>;

export function createLayout({ env }: Pick<CliIo, "env">, sink: Pick<TextSink, "isTerminal" | "columns">): Layout {
  const isColored = hasColors(env, sink.isTerminal);
  return {
    columns: Math.max(MIN_COLUMNS, sink.isTerminal ? sink.columns() : readColumns(env)),
    paint: (tone, text) => (isColored ? styleText(COLORS[tone], text, { validateStream: false }) : text),
  };
}

/**
 * As Node decides for its own output: FORCE_COLOR has priority over NO_COLOR (no-color.org), and both over what the stream is.
 */
function hasColors({ FORCE_COLOR, NO_COLOR, TERM }: CliIo["env"], isTerminal: boolean): boolean {
  if (FORCE_COLOR !== undefined) {
    return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  }
  return isTerminal && (NO_COLOR ?? "") === "" && TERM !== "dumb";
}

/** A pipe has no width, unless somebody exported one. */
function readColumns({ COLUMNS = "" }: CliIo["env"]): number {
  return /^[1-9]\d{0,4}$/.test(COLUMNS) ? Number(COLUMNS) : Number.POSITIVE_INFINITY;
}
