/** Loads a configuration that is a module of TypeScript or JavaScript, and finds places in its text. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createJiti } from "jiti";
import { isLicetError, LicetError, messageOf } from "../../errors.ts";
import type { ConfigFileContents, ConfigPath, Place } from "../config-problem.ts";
import { defineConfig } from "../define-config.ts";
import type { Env } from "./env-file.ts";

const MAX_DETAIL_CHARS = 500;
/** Variables that hold secrets, by their names; other values (a path, a locale) may stand in a message. */
const SECRET_NAMES = /key|secret|token|pass|credential|auth/i;
/** Shorter values would be found by chance. */
const MIN_SECRET_CHARS = 4;

/** A line of a stack with a file: in parentheses behind a function's name, or without. */
const FRAME = /^\s+at (?:.*\()?((?:file:\/\/)?(?:[A-Za-z]:)?[\\/][^():]*):(\d+):(\d+)\)?$/;
/** How jiti reports a syntax error. Its columns begin with 0. */
const PARSE_ERROR = /^ParseError: ([\s\S]*?)\s*\n (.+):(\d+):(\d+)$/;
const MISSING_MODULE = /^Cannot find (?:module|package) '([^']+)'/;

/**
 * @param label the file as its reader knows it
 * @param env whose secrets no message repeats, whatever the module throws
 * @throws LicetError CONFIG_INVALID with the place of what went wrong, as far as it is known
 */
export async function loadConfigModule(file: string, label: string, env: Env): Promise<ConfigFileContents> {
  const text = await readFile(file, "utf8");
  const jiti = createJiti(import.meta.url, {
    fsCache: false,
    moduleCache: false,
    // A configuration imports `defineConfig` from "licet", which may not be installed beside it.
    virtualModules: { licet: { defineConfig } },
  });
  let module: Record<string, unknown>;
  try {
    module = await jiti.import<Record<string, unknown>>(file);
  } catch (cause) {
    if (isLicetError(cause)) {
      throw cause;
    }
    throw toModuleError(cause, { file, label, text, env });
  }
  if (!("default" in module)) {
    throw new LicetError(
      "CONFIG_INVALID",
      `${label} exports no configuration: write \`export default defineConfig({…})\``,
      {
        hint: "`licet init` writes a file to compare it with; docs/configuration.md lists every key.",
        details: { file },
      },
    );
  }
  const code = withoutComments(text);
  return { value: module.default, locate: (path) => locateKey(code, path), isStatic: false };
}

interface ModuleFile {
  readonly file: string;
  readonly label: string;
  readonly text: string;
  readonly env: Env;
}

function toModuleError(cause: unknown, { file, label, text, env }: ModuleFile): LicetError {
  const thrown = messageOf(cause);
  const { message, place } = describeFailure(cause, thrown, { file, text });
  const detail = withoutSecrets(message, env).split("\n")[0] ?? "";
  const where = place === null ? "" : ` (${place.file === file ? label : place.file}:${place.line}:${place.column})`;
  return new LicetError("CONFIG_INVALID", `${label} cannot be loaded: ${detail.slice(0, MAX_DETAIL_CHARS)}${where}`, {
    hint: "Correct the place that is named. `licet init` writes a file to compare it with; docs/configuration.md lists every key.",
    details: { file, line: place?.line ?? null, column: place?.column ?? null },
    cause,
  });
}

interface FilePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

function describeFailure(
  cause: unknown,
  thrown: string,
  { file, text }: Pick<ModuleFile, "file" | "text">,
): { readonly message: string; readonly place: FilePlace | null } {
  const [, message, inFile, line, column] = PARSE_ERROR.exec(thrown) ?? [];
  if (message !== undefined && inFile !== undefined) {
    return { message, place: { file: inFile, line: Number(line), column: Number(column) + 1 } };
  }
  const [, missing] = MISSING_MODULE.exec(thrown) ?? [];
  const found = missing === undefined ? null : findText(text, new RegExp(`["'\`]${escapePattern(missing)}["'\`]`, "g"));
  if (found !== null) {
    return { message: thrown, place: { file, ...found } };
  }
  return { message: thrown, place: findFrame(cause instanceof Error ? (cause.stack ?? "") : "", { file, text }) };
}

/** The first place of the stack in a file of the user. */
function findFrame(stack: string, { file, text }: Pick<ModuleFile, "file" | "text">): FilePlace | null {
  for (const frame of stack.split("\n")) {
    const [, path = "", line, column] = FRAME.exec(frame) ?? [];
    const inFile = path.startsWith("file:") ? fileURLToPath(path) : path;
    if (inFile !== "" && !/[\\/]node_modules[\\/]/.test(inFile)) {
      const place = { file: inFile, line: Number(line), column: Number(column) };
      // The places in a module with a top-level await are those of what it was compiled to.
      const isThere = inFile !== file || (text.split("\n")[place.line - 1] ?? "").length >= place.column - 1;
      return isThere ? place : null;
    }
  }
  return null;
}

/**
 * The key of a path, where its name stands only once in the text, or else that of its nearest parent whose name does. A name that
 * stands several times could be that of another section.
 */
function locateKey(code: string, path: ConfigPath): Place | null {
  for (const part of path.toReversed()) {
    const name = typeof part === "string" ? escapePattern(part) : null;
    const place =
      name === null
        ? null
        : findText(code, new RegExp(`(?<=[{,\\s])(?:${name}|"${name}"|'${name}')(?=\\s*[:,}])`, "g"));
    if (place !== null) {
      return place;
    }
  }
  return null;
}

/** @returns the place of the only match, from 1; null for none and for several */
function findText(text: string, pattern: RegExp): { readonly line: number; readonly column: number } | null {
  const [match, second] = text.matchAll(pattern);
  if (match === undefined || second !== undefined) {
    return null;
  }
  const before = text.slice(0, match.index).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

function escapePattern(text: string): string {
  return text.replaceAll(/[^\w\s]/g, "\\$&");
}

/** Every character keeps its place. */
function withoutComments(text: string): string {
  return text.replaceAll(
    /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (found) => (found.startsWith("/") ? found.replaceAll(/[^\n]/g, " ") : found),
  );
}

function withoutSecrets(text: string, env: Env): string {
  return Object.entries(env).reduce(
    (left, [name, value = ""]) =>
      SECRET_NAMES.test(name) && value.length >= MIN_SECRET_CHARS ? left.replaceAll(value, `\${${name}}`) : left,
    text,
  );
}
