/** The problems of a configuration. They are collected over all checks, so that one error lists everything. */
import { type ErrorCode, LicetError } from "../errors.ts";
import type { Env } from "./files/env-file.ts";

/** The place of a value: keys and positions from the root. */
export type ConfigPath = readonly (string | number)[];

export interface ConfigProblem {
  readonly path: ConfigPath;
  /** The end of a sentence that begins with the path. It never contains a value of the environment. */
  readonly message: string;
  readonly kind: "invalid" | "env_missing";
}

/** Both from 1. Null where only the line is known. */
export interface Place {
  readonly line: number;
  readonly column: number | null;
}

/** What was read from a file. */
export interface ConfigFileContents {
  readonly value: unknown;
  readonly locate: ConfigSource["locate"];
  readonly isStatic: boolean;
}

/** Where a configuration comes from, and how to find a line in it. */
export interface ConfigSource {
  /** Absolute; null when it was given as an object. */
  readonly file: string | null;
  /** The file's name for messages, relative to the directory where licet was started. */
  readonly label: string;
  /** The base of relative paths. */
  readonly baseDir: string;
  readonly env: Env;
  /** Whether a secret whose variable is not set is an error only for whoever reads it (unset-values.ts). */
  readonly defersUnset: boolean;
  /** What to do about a missing variable. */
  readonly envHint: string;
  /** The place of a path, or of its nearest existing parent. Null when there is none. */
  readonly locate: (path: ConfigPath) => Place | null;
  /** True for a format that can read the environment only with `${ENV}`. */
  readonly isStatic: boolean;
}

/** The most problems to list. A file with more probably has one cause. */
const MAX_LISTED = 50;
/** The most problems whose line is searched for, because each search reads a section of the file. */
const MAX_LOCATED = 1_000;

export function invalid(path: ConfigPath, message: string): ConfigProblem {
  return { path, message, kind: "invalid" };
}

/** `sites[0].policy`, `policies["my policy"]` */
export function formatPath(path: readonly PropertyKey[]): string {
  const text = path.map(formatPart).join("");
  return text.replace(/^\./, "") || "configuration";
}

function formatPart(part: PropertyKey): string {
  const name = String(part);
  return typeof part === "number" ? `[${name}]` : /^[\w$-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** One error for all problems: ENV_MISSING when only variables are missing, otherwise CONFIG_INVALID. */
export function toConfigError(problems: readonly ConfigProblem[], source: ConfigSource): LicetError {
  const located = problems
    .slice(0, MAX_LOCATED)
    .map((problem) => ({ problem, place: source.locate(problem.path) }))
    .sort((a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0));
  const lines = located.map(({ problem, place }) => {
    const where = [source.label, place?.line ?? null, place?.column ?? null].filter((part) => part !== null).join(":");
    return `  ${where}  ${formatPath(problem.path)} ${problem.message}`;
  });
  const more = problems.length > MAX_LISTED ? [`  … and ${problems.length - MAX_LISTED} more`] : [];
  const count = problems.length === 1 ? "one problem" : `${problems.length} problems`;
  const code: ErrorCode = problems.every(({ kind }) => kind === "env_missing") ? "ENV_MISSING" : "CONFIG_INVALID";
  return new LicetError(code, [`${source.label} has ${count}:`, ...lines.slice(0, MAX_LISTED), ...more].join("\n"), {
    hint: code === "ENV_MISSING" ? source.envHint : "docs/configuration.md lists every key.",
    details: {
      file: source.file,
      line: located[0]?.place?.line ?? null,
      column: located[0]?.place?.column ?? null,
      path: located[0] === undefined ? null : formatPath(located[0].problem.path),
      problems: problems.length,
    },
  });
}
