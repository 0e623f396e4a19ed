/** Reads a configuration file: YAML and JSON with the line of each key, or a module's default export. */
import { readFile, stat } from "node:fs/promises";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { createJiti } from "jiti";
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
} from "yaml";
import { isLicetError, LicetError } from "../errors.ts";
import type { ConfigPath, ConfigSource } from "./config-problem.ts";
import type { Env } from "./env-file.ts";

export interface ConfigFileContents {
  readonly value: unknown;
  readonly locate: ConfigSource["locate"];
  readonly isStatic: boolean;
}

/** A thousand sites fit into a hundredth of this. */
const MAX_FILE_BYTES = 16_000_000;
/** YAML aliases multiply; more than this is an attack or an accident. */
const MAX_ALIASES = 1000;
/** Errors of the format that are listed: the first ones say what is wrong, the others mostly follow from them. */
const MAX_LISTED_ERRORS = 20;
const MODULE_EXTENSIONS = [".ts", ".js", ".mjs"];
const MAX_DETAIL_CHARS = 500;

/** Variables that hold secrets, by their names; other values (a path, a locale) may stand in a message. */
const SECRET_NAMES = /key|secret|token|pass|credential|auth/i;
/** Shorter values would be found by chance. */
const MIN_SECRET_CHARS = 4;

/**
 * @param label the file as its reader knows it
 * @param env whose secrets no message repeats, whatever a module throws
 * @throws LicetError CONFIG_NOT_FOUND, or CONFIG_INVALID for what cannot be read as its format
 */
export async function readConfigFile(file: string, label: string, env: Env): Promise<ConfigFileContents> {
  const size = await sizeOf(file, label);
  if (size > MAX_FILE_BYTES) {
    throw unreadable(file, label, `is larger than ${MAX_FILE_BYTES} bytes`);
  }
  return MODULE_EXTENSIONS.includes(extname(file))
    ? loadModule(file, label, env)
    : parseText(await readFile(file, "utf8"), file, label);
}

async function sizeOf(file: string, label: string): Promise<number> {
  try {
    const stats = await stat(file);
    if (stats.isFile()) {
      return stats.size;
    }
  } catch (cause) {
    throw new LicetError("CONFIG_NOT_FOUND", `there is no configuration file ${label}`, {
      hint: "`licet init` writes one to start from.",
      details: { file },
      cause,
    });
  }
  throw unreadable(file, label, "is not a file");
}

/** JSON is read as YAML, of which it is a part: so its keys have lines too. */
function parseText(text: string, file: string, label: string): ConfigFileContents {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  if (document.errors.length > 0) {
    const errors = document.errors.map((error) => ({ line: lineAt(error.pos[0]), message: error.message }));
    const listed = errors.slice(0, MAX_LISTED_ERRORS).map(({ line, message }) => `  ${label}:${line}  ${message}`);
    const more = errors.length > MAX_LISTED_ERRORS ? [`  … and ${errors.length - MAX_LISTED_ERRORS} more`] : [];
    const what = extname(file) === ".json" ? "JSON" : "YAML";
    throw new LicetError("CONFIG_INVALID", [`${label} is not valid ${what}:`, ...listed, ...more].join("\n"), {
      hint: "Correct the line that is named; the cause may be above it.",
      details: { file, line: errors[0]?.line ?? null },
    });
  }
  return {
    value: toValue(document, file, label),
    locate: (path) => {
      const offset = findOffset(document, path);
      return offset === null ? null : lineAt(offset);
    },
    isStatic: true,
  };
}

function toValue(document: Document.Parsed, file: string, label: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (cause) {
    throw unreadable(file, label, "has too many aliases", cause);
  }
}

/**
 * The offset of a path: of its key if it has one, or else of its value. For a path that does not exist, its nearest existing
 * parent.
 */
function findOffset(document: Document.Parsed, path: ConfigPath): number | null {
  let node: Node | null | undefined = document.contents;
  let offset = node?.range?.[0] ?? null;
  for (const part of path) {
    const parent: Node | null | undefined = isAlias(node) ? (node as Alias).resolve(document) : node;
    if (isMap(parent)) {
      const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      if (pair === undefined) {
        return offset;
      }
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value as Node | null;
    } else if (isSeq(parent) && typeof part === "number" && parent.items[part] !== undefined) {
      node = parent.items[part] as Node;
      offset = node.range?.[0] ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}

async function loadModule(file: string, label: string, env: Env): Promise<ConfigFileContents> {
  // A configuration imports `defineConfig` from "licet", which may not be installed beside it.
  const self = new URL(`./define-config${extname(import.meta.url)}`, import.meta.url);
  const jiti = createJiti(import.meta.url, {
    fsCache: false,
    moduleCache: false,
    alias: { licet: fileURLToPath(self) },
  });
  try {
    const module = await jiti.import<Record<string, unknown>>(file);
    if (!("default" in module)) {
      throw unreadable(file, label, "exports no configuration: write `export default defineConfig({…})`");
    }
    return { value: module.default, locate: () => null, isStatic: false };
  } catch (cause) {
    if (isLicetError(cause)) {
      throw cause;
    }
    const thrown = cause instanceof Error ? cause.message : String(cause);
    const detail = withoutSecrets(thrown, env).split("\n")[0] ?? "";
    throw unreadable(file, label, `cannot be loaded: ${detail.slice(0, MAX_DETAIL_CHARS)}`, cause);
  }
}

function withoutSecrets(text: string, env: Env): string {
  return Object.entries(env).reduce(
    (left, [name, value = ""]) =>
      SECRET_NAMES.test(name) && value.length >= MIN_SECRET_CHARS ? left.replaceAll(value, `\${${name}}`) : left,
    text,
  );
}

function unreadable(file: string, label: string, what: string, cause?: unknown): LicetError {
  return new LicetError("CONFIG_INVALID", `${label} ${what}`, {
    hint: "`licet init` writes a file to compare it with; docs/configuration.md lists every key.",
    details: { file },
    cause,
  });
}
