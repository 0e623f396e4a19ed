/**
 * Environment files: lines of `NAME=value`, as node reads them (`util.parseEnv`). Node skips a line that it does not understand and
 * cuts some values without a word. Here such a line is an error. Messages have the file and the line, and never the text of the line,
 * because it may hold a secret.
 */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { parseEnv } from "node:util";
import { LicetError } from "../../errors.ts";

/** Variables by name, as in `process.env`. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Read by itself when it lies beside the configuration file. */
export const ENV_FILE_NAME = ".env";

const MAX_LISTED = 20;
const NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** The name and what stands behind the `=`, of a line that begins an assignment. */
const ASSIGNMENT_PATTERN = /^\s*(?:export\s+)?([^=]*?)\s*=[ \t]*(.*)$/;
const QUOTES = ["'", '"', "`"];

interface LineProblem {
  readonly line: number;
  readonly message: string;
}

/**
 * @param label the file as its reader knows it
 * @returns its variables; null when there is no file
 * @throws LicetError CONFIG_NOT_FOUND when it cannot be read, CONFIG_INVALID with every wrong line
 */
export async function readEnvFile(file: string, label: string): Promise<Env | null> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // A directory of this name is something else: a virtual environment of Python.
    if (code === "ENOENT" || (code === "EISDIR" && basename(file) === ENV_FILE_NAME)) {
      return null;
    }
    throw unreadableEnvFile(file, label, cause);
  }
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  const problems = findEnvProblems(text);
  if (problems.length > 0) {
    const listed = problems.slice(0, MAX_LISTED).map(({ line, message }) => `  ${label}:${line}  ${message}`);
    const more = problems.length > MAX_LISTED ? [`  … and ${problems.length - MAX_LISTED} more`] : [];
    const count = problems.length === 1 ? "one wrong line" : `${problems.length} wrong lines`;
    throw new LicetError("CONFIG_INVALID", [`${label} has ${count}:`, ...listed, ...more].join("\n"), {
      hint: "Write NAME=value, one a line, and comments behind #. The lines are not shown, because they may hold secrets.",
      details: { file, line: problems[0]?.line ?? null, problems: problems.length },
    });
  }
  return parseEnv(text);
}

export function unreadableEnvFile(file: string, label: string, cause?: unknown): LicetError {
  return new LicetError("CONFIG_NOT_FOUND", `the environment file ${label} cannot be read`, {
    hint: "Check its path and its rights. It has lines such as LICET_API_KEY=…",
    details: { path: file },
    cause,
  });
}

/** Every line that node would skip, cut or read as something else than what it says. */
export function findEnvProblems(text: string): LineProblem[] {
  if (text.includes("\0")) {
    return [{ line: 1, message: "is not UTF-8 text: save the file as UTF-8" }];
  }
  const lines = text.split(/\r?\n/);
  const problems: LineProblem[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    if (/^\s*(?:#|$)/.test(line)) {
      continue;
    }
    const { message, lastIndex } = checkAssignment(lines, index);
    if (message !== null) {
      problems.push({ line: index + 1, message });
    }
    index = lastIndex;
  }
  return problems;
}

interface CheckedAssignment {
  readonly message: string | null;
  /** A value in quotes may continue on the next lines. */
  readonly lastIndex: number;
}

function checkAssignment(lines: readonly string[], index: number): CheckedAssignment {
  const [, name, value = ""] = ASSIGNMENT_PATTERN.exec(lines[index] ?? "") ?? [];
  if (name === undefined) {
    return { message: "has no =: write NAME=value", lastIndex: index };
  }
  const nameProblem = NAME_PATTERN.test(name)
    ? null
    : "does not begin with the name of a variable (letters, digits and _, no digit first) and =";
  const quote = value[0] ?? "";
  if (!QUOTES.includes(quote)) {
    const cut = /\S#/.test(value)
      ? "has a # in its value, which begins a comment there: put the value in quotes"
      : null;
    return { message: nameProblem ?? cut, lastIndex: index };
  }
  const end = findClosingQuote(lines, index, value.slice(1), quote);
  if (end === null) {
    return { message: nameProblem ?? "begins a value with a quote that is not closed", lastIndex: index };
  }
  const after = /^\s*(?:#.*)?$/.test(end.rest) ? null : "has text behind the closing quote of its value";
  return { message: nameProblem ?? after, lastIndex: end.index };
}

/** @param first what stands behind the opening quote in its line */
function findClosingQuote(
  lines: readonly string[],
  from: number,
  first: string,
  quote: string,
): { readonly index: number; readonly rest: string } | null {
  for (let index = from; index < lines.length; index += 1) {
    const text = index === from ? first : (lines[index] ?? "");
    const at = text.indexOf(quote);
    if (at >= 0) {
      return { index, rest: text.slice(at + 1) };
    }
  }
  return null;
}
