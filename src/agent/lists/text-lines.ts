/** Lines of UTF-8 text, one by one: memory stays flat however long the text is. */
import type { LineFault } from "../../list/line-faults.ts";

/** A longer line is not read into memory. */
export const MAX_LINE_BYTES = 65_536;
const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = "\ufeff";

export type LineProblem = "too long" | "not UTF-8";

/** The fault of a line of a list with this problem. */
export function faultOf(problem: LineProblem): LineFault {
  switch (problem) {
    case "too long":
      return "line_too_long";
    case "not UTF-8":
      return "not_utf8";
    default:
      return problem satisfies never;
  }
}

export interface TextLine {
  /** Without its line end. Of a line with a problem, what can be shown of it. */
  readonly text: string;
  readonly problem: LineProblem | null;
}

/** The byte order mark of the first line is left out. The last line needs no line end. */
export async function* readTextLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<TextLine> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let isFirst = true;
  const take = (): TextLine => {
    const line = toLine(decoder, Buffer.concat(parts), bytes > MAX_LINE_BYTES);
    const hasMark = isFirst && line.text.startsWith(BYTE_ORDER_MARK);
    parts = [];
    bytes = 0;
    isFirst = false;
    return hasMark ? { ...line, text: line.text.slice(1) } : line;
  };
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  if (bytes > 0) {
    yield take();
  }

  function add(part: Uint8Array): void {
    const room = Math.max(0, MAX_LINE_BYTES - bytes);
    bytes += part.length;
    if (room > 0) {
      parts.push(part.subarray(0, room));
    }
  }
}

function toLine(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer, isTooLong: boolean): TextLine {
  if (isTooLong) {
    return { text: bytes.toString("utf8"), problem: "too long" };
  }
  try {
    return { text: decoder.decode(bytes), problem: null };
  } catch {
    return { text: bytes.toString("utf8"), problem: "not UTF-8" };
  }
}
