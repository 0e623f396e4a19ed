/** Reads uses from a JSONL file or stdin, line by line. A bad line is reported with its number and affects no other line. */
import { z } from "zod";
import type { UseInput } from "../../agent/agent.ts";
import { MAX_LINE_BYTES, readTextLines } from "../../agent/lists/text-lines.ts";
import { formatPath } from "../../config/config-problem.ts";

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
    times,
    usedAt,
    key,
  };
}

/** Lines without their line ends. Null for a line that is too long. */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string | null> {
  for await (const { text, problem } of readTextLines(source)) {
    yield problem === "too long" ? null : text;
  }
}
