/**
 * Reads the text of a configuration: YAML, or JSON with comments and trailing commas. JSON is read as YAML, of which it is a part
 * but for its comments: so its keys have lines too, and a key that stands twice is an error.
 */
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
import { LicetError } from "../../errors.ts";
import type { ConfigFileContents, ConfigPath } from "../config-problem.ts";

/** YAML aliases multiply; more than this is an attack or an accident. */
const MAX_ALIASES = 1000;
/** Errors of the format that are listed: the first ones say what is wrong, the others mostly follow from them. */
const MAX_LISTED_ERRORS = 20;
/** Texts in quotes, which may contain the signs of a comment, and comments. `://` of an address without quotes begins none. */
const TEXTS_AND_COMMENTS = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|(?<!:)\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g;

export type TextFormatName = "YAML" | "JSON";

interface TextFile {
  readonly file: string;
  /** The file as its reader knows it. */
  readonly label: string;
  readonly format: TextFormatName;
}

/** @throws LicetError CONFIG_INVALID with the place of each syntax error */
export function parseConfigText(text: string, source: TextFile): ConfigFileContents {
  const lines = new LineCounter();
  const readable = source.format === "JSON" ? blankComments(text) : text;
  const document = parseDocument(readable, { lineCounter: lines, merge: true, prettyErrors: false });
  if (document.errors.length > 0) {
    throw toSyntaxError(document, lines, text, source);
  }
  return {
    value: toValue(document, source),
    locate: (path) => {
      const offset = findOffset(document, path);
      return offset === null ? null : { line: lines.linePos(offset).line, column: null };
    },
    isStatic: true,
  };
}

/** Every character keeps its place. */
function blankComments(text: string): string {
  return text.replaceAll(TEXTS_AND_COMMENTS, (found) =>
    found.startsWith("/") ? found.replaceAll(/[^\r\n]/g, " ") : found,
  );
}

function toSyntaxError(
  { errors }: Document.Parsed,
  lines: LineCounter,
  text: string,
  { file, label, format }: TextFile,
): LicetError {
  const placed = errors.map((error) => ({ ...toPlace(lines, error.pos[0]), message: error.message }));
  const listed = placed
    .slice(0, MAX_LISTED_ERRORS)
    .flatMap(({ line, column, message }, index) => [
      `  ${label}:${line}:${column}  ${message}`,
      ...(index === 0 ? excerpt(text, line, column) : []),
    ]);
  const more = errors.length > MAX_LISTED_ERRORS ? [`  … and ${errors.length - MAX_LISTED_ERRORS} more`] : [];
  return new LicetError("CONFIG_INVALID", [`${label} is not valid ${format}:`, ...listed, ...more].join("\n"), {
    hint: "Correct the line that is named; the cause may be above it.",
    details: { file, line: placed[0]?.line ?? null, column: placed[0]?.column ?? null },
  });
}

function toPlace(lines: LineCounter, offset: number): { readonly line: number; readonly column: number } {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

function toValue(document: Document.Parsed, { file, label }: TextFile): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (cause) {
    throw new LicetError("CONFIG_INVALID", `${label} has too many aliases`, {
      hint: "Write the values out: an alias (*name) repeats everything that its anchor (&name) has.",
      details: { file },
      cause,
    });
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

/** Of a line that a message shows. */
const MAX_CHARS = 100;
/** Keys whose values may be secrets. Their lines are not shown. */
const SECRET_KEYS = /key|secret|token|pass|credential|auth/i;
/** A password in an address, such as `redis://:password@host`. */
const PASSWORDS = /(:\/\/[^\s/@:]*:)[^\s@]*@/g;

/**
 * The line of a configuration file with an error, for its message.
 *
 * @param line from 1
 * @param column from 1
 * @returns the line and a mark below the column; nothing for a line that is empty or may hold a secret
 */
function excerpt(text: string, line: number, column: number): readonly string[] {
  const whole = (text.split(/\r?\n/)[line - 1] ?? "").replaceAll("\t", " ");
  if (whole.trim() === "" || SECRET_KEYS.test(whole)) {
    return [];
  }
  const start = column > MAX_CHARS ? column - MAX_CHARS / 2 : 0;
  const shown = whole.slice(start, start + MAX_CHARS).replaceAll(PASSWORDS, (_, before: string) => `${before}…@`);
  const margin = `    ${line} | `;
  const mark = PASSWORDS.test(whole) ? [] : [`${" ".repeat(margin.length - 2)}| ${" ".repeat(column - 1 - start)}^`];
  return [`${margin}${shown}`, ...mark];
}
