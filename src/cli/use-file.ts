/** Reads uses from a JSONL file or stdin, line by line. A bad line is reported with its number and affects no other line. */
import { z } from "zod";
import type { UseInput } from "../agent/agent.ts";
import { formatPath } from "../config/config-problem.ts";

/** A longer line cannot be a use. It is skipped without being loaded into memory. */
export const MAX_LINE_BYTES = 65_536;
const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = "\ufeff";

const useLine = z.strictObject({
  url: z.string().min(1),
  times: z.int().min(1).optional(),
  usedAt: z.union([z.string().min(1), z.int()]).optional(),
  key: z.string().min(1).optional(),
});

export interface BadLine {
  /** From 1. */
  readonly line: number;
  readonly reason: string;
}

/** Yields the good lines and reports the bad ones. Empty lines are skipped. Memory stays flat. */
export async function* readUses(
  source: AsyncIterable<Uint8Array>,
  onBadLine: (bad: BadLine) => void,
): AsyncGenerator<UseInput> {
  let line = 0;
  for await (const text of readLines(source)) {
    line++;
    if (text === null) {
      onBadLine({ line, reason: `longer than ${MAX_LINE_BYTES} bytes` });
      continue;
    }
    if (text.trim() === "") {
      continue;
    }
    const read = parseUseLine(text);
    if (typeof read === "string") {
      onBadLine({ line, reason: read });
    } else {
      yield read;
    }
  }
}

/** @returns the use, or the problem of the line */
function parseUseLine(text: string): UseInput | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "it is not JSON";
  }
  const parsed = useLine.safeParse(value);
  if (!parsed.success) {
    return parsed.error.issues
      .map(({ path, message }) => (path.length === 0 ? message : `${formatPath(path)}: ${message}`))
      .join("; ");
  }
  const { url, times, usedAt, key } = parsed.data;
  return {
    url,
    ...(times === undefined ? {} : { times }),
    ...(usedAt === undefined ? {} : { usedAt }),
    ...(key === undefined ? {} : { key }),
  };
}

/** Lines without their line ends. Null for a line that is too long. */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string | null> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let first = true;
  const take = () => {
    const text = bytes > MAX_LINE_BYTES ? null : Buffer.concat(parts).toString("utf8");
    parts = [];
    bytes = 0;
    const isFirst = first;
    first = false;
    return isFirst && text?.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
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
    bytes += part.length;
    if (bytes <= MAX_LINE_BYTES) {
      parts.push(part);
    }
  }
}
