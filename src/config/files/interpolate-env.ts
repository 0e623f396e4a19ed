/**
 * Fills `${NAME}` in texts from the environment; `$${NAME}` becomes `${NAME}`. It works on parsed values, so a variable may
 * contain any character without changing the structure of the file. It works only in texts, never in keys.
 */
import { type ConfigPath, type ConfigProblem, invalid } from "../config-problem.ts";
import type { Env } from "./env-file.ts";

export interface Interpolated {
  readonly value: unknown;
  readonly problems: readonly ConfigProblem[];
  /** `pathKey`s of the texts that contain a value of the environment. Messages never repeat them. */
  readonly fromEnv: ReadonlySet<string>;
}

/** Deeper than any valid configuration; also ends what contains itself. */
const MAX_DEPTH = 16;
const REFERENCE_PATTERN = /\$?\$\{([^}]*)\}/g;
const NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function pathKey(path: ConfigPath): string {
  return JSON.stringify(path);
}

export function interpolateEnv(raw: unknown, env: Env): Interpolated {
  const problems: ConfigProblem[] = [];
  const fromEnv = new Set<string>();

  function walk(value: unknown, path: ConfigPath): unknown {
    if (typeof value === "string") {
      return fill(value, path);
    }
    if (typeof value !== "object" || value === null || !isContainer(value)) {
      return value;
    }
    if (path.length > MAX_DEPTH) {
      problems.push(invalid(path.slice(0, 2), "is nested too deeply"));
      return undefined;
    }
    if (Array.isArray(value)) {
      return value.map((item, index) => walk(item, [...path, index]));
    }
    const entries = Object.entries(value).map(([key, item]) => [key, walk(item, [...path, key])] as const);
    // fromEntries defines keys as they are, where an assignment to "__proto__" would not.
    return Object.fromEntries(entries);
  }

  function fill(text: string, path: ConfigPath): string {
    return text.replace(REFERENCE_PATTERN, (reference: string, name: string) => {
      if (reference.startsWith("$$")) {
        return reference.slice(1);
      }
      fromEnv.add(pathKey(path));
      if (!NAME_PATTERN.test(name)) {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is about these characters
        const advice = "has a ${…} that names no environment variable; write $${…} for the text itself";
        problems.push(invalid(path, advice));
        return reference;
      }
      const filled = Object.hasOwn(env, name) ? env[name] : undefined;
      if (filled === undefined) {
        problems.push({
          path,
          message: `needs the environment variable ${name}, which is not set`,
          kind: "env_missing",
        });
      }
      return filled ?? reference;
    });
  }

  return { value: walk(raw, []), problems, fromEnv };
}

/** Plain objects and arrays. The schema refuses anything else (a Map, a date of a `.ts` file). */
function isContainer(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
}
