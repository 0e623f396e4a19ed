/** What is wrong with a configuration: collected over all checks, so that one reading shows everything. */
import { type ErrorCode, LicetError } from "../errors.ts";

/** Where something stands: keys and positions from the root. */
export type ConfigPath = readonly (string | number)[];

export interface ConfigProblem {
  readonly path: ConfigPath;
  /** The end of a sentence that begins with the path. Never holds a value of the environment. */
  readonly message: string;
  readonly kind: "invalid" | "env_missing";
}

/** Where a configuration comes from, and how to find a line in it. */
export interface ConfigSource {
  /** Absolute; null when it was given as an object. */
  readonly file: string | null;
  /** The file as its reader knows it: relative to where licet was started. */
  readonly label: string;
  /** Relative paths start here. */
  readonly baseDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The line (from 1) of a path, or of the nearest part around it that exists; null when there are no lines. */
  readonly locate: (path: ConfigPath) => number | null;
  /** True for a format that has no other way to read the environment than `${ENV}`. */
  readonly isStatic: boolean;
}

/** Enough to mend a file by; a file with more has one cause. */
const MAX_LISTED = 50;
/** Finding a line looks through a section: for a file that is wrong all over, the first ones will do. */
const MAX_LOCATED = 1_000;

export function invalid(path: ConfigPath, message: string): ConfigProblem {
  return { path, message, kind: "invalid" };
}

/** `sites[0].policy` */
export function formatPath(path: ConfigPath): string {
  const text = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
  return text.replace(/^\./, "") || "configuration";
}

/** One error for all problems: ENV_MISSING when nothing else is wrong, else CONFIG_INVALID. */
export function toConfigError(problems: readonly ConfigProblem[], source: ConfigSource): LicetError {
  const located = problems
    .slice(0, MAX_LOCATED)
    .map((problem) => ({ problem, line: source.locate(problem.path) }))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const lines = located.map(({ problem, line }) => {
    const place = line === null ? source.label : `${source.label}:${line}`;
    return `  ${place}  ${formatPath(problem.path)} ${problem.message}`;
  });
  const more = problems.length > MAX_LISTED ? [`  … and ${problems.length - MAX_LISTED} more`] : [];
  const count = problems.length === 1 ? "one problem" : `${problems.length} problems`;
  const code: ErrorCode = problems.every(({ kind }) => kind === "env_missing") ? "ENV_MISSING" : "CONFIG_INVALID";
  return new LicetError(code, [`${source.label} has ${count}:`, ...lines.slice(0, MAX_LISTED), ...more].join("\n"), {
    hint:
      code === "ENV_MISSING"
        ? "Set the variable in the environment (a .env file is not read by itself)."
        : "docs/configuration.md lists every key.",
    details: {
      file: source.file,
      line: located[0]?.line ?? null,
      path: located[0] === undefined ? null : formatPath(located[0].problem.path),
      problems: problems.length,
    },
  });
}
