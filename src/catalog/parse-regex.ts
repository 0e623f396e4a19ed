/**
 * Regular expressions as trees, as far as globs are made of them: characters and classes, groups, alternatives, repetitions,
 * the two anchors and lookaheads. What a group captures is of no interest here.
 */

/** Whether a UTF-16 unit is one of those that an expression of one character takes. */
export type UnitTest = (unit: number) => boolean;

export type RegexNode =
  | { readonly kind: "unit"; readonly test: UnitTest }
  | { readonly kind: "start" | "end" }
  | { readonly kind: "sequence" | "alternatives"; readonly nodes: readonly RegexNode[] }
  /** `max` is infinite for `*`, `+` and `{n,}`. */
  | { readonly kind: "repeat"; readonly node: RegexNode; readonly min: number; readonly max: number }
  | { readonly kind: "ahead"; readonly node: RegexNode; readonly negative: boolean };

const ASCII_UNITS = 128;
/** Longer counted repetitions are no glob's, and each count is a copy. */
const MAX_COUNT = 64;
const COUNTS = /^\{(\d+)(?:(,)(\d*))?\}/;
const CLASS = /^\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]/;
/** Escapes that stand for one character, or for a kind of characters. */
const ESCAPE = /^\\(?:[dDwWsS]|[fnrtv0](?!\d)|x[\da-fA-F]{2}|u[\da-fA-F]{4}|[^\p{L}\p{N}])/u;

/** @returns null for anything else: back references, lookbehind, word boundaries */
export function parseRegex(source: string): RegexNode | null {
  const reader = { rest: source };
  const node = readAlternatives(reader);
  return reader.rest === "" ? node : null;
}

interface Reader {
  rest: string;
}

function readAlternatives(reader: Reader): RegexNode | null {
  const nodes: RegexNode[] = [];
  do {
    const node = readSequence(reader);
    if (node === null) {
      return null;
    }
    nodes.push(node);
  } while (take(reader, "|"));
  return nodes.length === 1 ? (nodes[0] as RegexNode) : { kind: "alternatives", nodes };
}

function readSequence(reader: Reader): RegexNode | null {
  const nodes: RegexNode[] = [];
  while (reader.rest !== "" && !/^[|)]/.test(reader.rest)) {
    const atom = readAtom(reader);
    const node = atom === null ? null : readRepetition(reader, atom);
    if (node === null) {
      return null;
    }
    nodes.push(node);
  }
  return { kind: "sequence", nodes };
}

function readAtom(reader: Reader): RegexNode | null {
  if (take(reader, "^")) {
    return { kind: "start" };
  }
  if (take(reader, "$")) {
    return { kind: "end" };
  }
  if (reader.rest.startsWith("(")) {
    return readGroup(reader);
  }
  const [unit] = ESCAPE.exec(reader.rest) ?? CLASS.exec(reader.rest) ?? /^[^\\[*+?{]/.exec(reader.rest) ?? [];
  if (unit === undefined) {
    return null;
  }
  reader.rest = reader.rest.slice(unit.length);
  return { kind: "unit", test: toUnitTest(unit) };
}

function readGroup(reader: Reader): RegexNode | null {
  const ahead = take(reader, "(?=") ? "positive" : take(reader, "(?!") ? "negative" : null;
  const isPlain = ahead === null && (take(reader, "(?:") || (!reader.rest.startsWith("(?") && take(reader, "(")));
  const node = ahead !== null || isPlain ? readAlternatives(reader) : null;
  if (node === null || !take(reader, ")")) {
    return null;
  }
  return ahead === null ? node : { kind: "ahead", node, negative: ahead === "negative" };
}

function readRepetition(reader: Reader, node: RegexNode): RegexNode | null {
  const counts = readCounts(reader);
  if (counts === null) {
    return node;
  }
  // Whether it would rather have more or less makes no difference to whether there is a match.
  take(reader, "?");
  const { min, max } = counts;
  const isUsable = min <= MAX_COUNT && (max <= MAX_COUNT || max === Number.POSITIVE_INFINITY);
  return isUsable ? { kind: "repeat", node, min, max } : null;
}

function readCounts(reader: Reader): { readonly min: number; readonly max: number } | null {
  const max = Number.POSITIVE_INFINITY;
  if (take(reader, "*")) {
    return { min: 0, max };
  }
  if (take(reader, "+")) {
    return { min: 1, max };
  }
  if (take(reader, "?")) {
    return { min: 0, max: 1 };
  }
  const [whole, least = "", comma, most = ""] = COUNTS.exec(reader.rest) ?? [];
  if (whole === undefined) {
    return null;
  }
  reader.rest = reader.rest.slice(whole.length);
  const min = Number(least);
  return { min, max: comma === undefined ? min : most === "" ? max : Number(most) };
}

/** JavaScript says which characters it takes: asked once for the usual ones, and each time for the others. */
function toUnitTest(source: string): UnitTest {
  const regex = new RegExp(`^${source}$`, "s");
  const ascii = Array.from({ length: ASCII_UNITS }, (_, unit) => regex.test(String.fromCharCode(unit)));
  return (unit) => (unit < ASCII_UNITS ? ascii[unit] === true : regex.test(String.fromCharCode(unit)));
}

function take(reader: Reader, text: string): boolean {
  const found = reader.rest.startsWith(text);
  if (found) {
    reader.rest = reader.rest.slice(text.length);
  }
  return found;
}
