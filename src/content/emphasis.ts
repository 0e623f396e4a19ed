/**
 * Emphasis that Markdown readers recognise. HTML allows `<b>` anywhere. In CommonMark a run of `*` opens or closes only with the
 * right characters on both sides, and it joins adjacent runs. Both can only be checked in the finished text. A rule therefore
 * writes marks. At the end, marks become `*` and `~` where they will be read correctly, and are removed elsewhere: no text is
 * lost, and no asterisk is added to it.
 */
import { type DelimiterRun, findMisread, flanking } from "./delimiter-runs.ts";

export type Emphasis = "em" | "strong" | "del";

interface Kind {
  readonly open: string;
  readonly close: string;
  readonly sign: "*" | "~";
  readonly width: 1 | 2;
}

/** Private characters. `stripMarks` keeps a page from containing them. */
const KINDS: Readonly<Record<Emphasis, Kind>> = {
  em: { open: "\uE003", close: "\uE004", sign: "*", width: 1 },
  strong: { open: "\uE005", close: "\uE006", sign: "*", width: 2 },
  del: { open: "\uE007", close: "\uE008", sign: "~", width: 2 },
};
const MARK = /([\uE003-\uE008])/;
const EVERY_MARK = /[\uE003-\uE008]/g;

/** The end of a paragraph within an emphasis, with the white space around it. */
const PARAGRAPH_END = /(\s*\n\s*\n\s*)/;

/** Punctuation at the edge of an emphasis that may also be outside. It is never part of an escape, an entity or a link. */
const LEADING_PUNCTUATION = /^(?:["']|(?![ -~])\p{P})+/u;
const TRAILING_PUNCTUATION = /(?:(?<!\\)[:,.?"']|(?![ -~])\p{P})+$/u;
/** Only this much punctuation is checked, so that a hostile page cannot make the search slow. */
const PUNCTUATION_MAX_CHARS = 8;

/** Rounds of correction. Marks that are still wrong after them are removed. Real pages need three. */
const MAX_ROUNDS = 16;

/** Marks inline Markdown as emphasized: each paragraph separately, with white space and breaks at its edges outside. */
export function markEmphasis(content: string, emphasis: Emphasis): string {
  const { open, close } = KINDS[emphasis];
  return content
    .split(PARAGRAPH_END)
    .map((piece) => {
      const text = piece.trim();
      if (text.replace(EVERY_MARK, "") === "") {
        return piece;
      }
      const start = piece.indexOf(text);
      return `${piece.slice(0, start)}${open}${text}${close}${piece.slice(start + text.length)}`;
    })
    .join("");
}

interface Mark {
  readonly kind: Kind;
  readonly isOpen: boolean;
  pair: Pair;
}

interface Pair {
  close: Mark | null;
  isDropped: boolean;
  /** Punctuation at its edges has already been moved outside. */
  isShrunk: boolean;
}

/** `texts[n]` is before `marks[n]`, and the last text is after all marks. */
interface Marked {
  readonly texts: string[];
  readonly marks: readonly Mark[];
}

/** A run of signs, with the range of marks that it writes (`to` is exclusive). */
interface MarkedRun extends DelimiterRun {
  readonly from: number;
  readonly to: number;
}

/** Writes the marks of finished Markdown as `*` and `~`, and removes those that would be read differently. */
export function writeEmphasis(markdown: string): string {
  let marked = simplify(readMarks(markdown));
  for (let round = 0; ; round++) {
    const runs = toRuns(marked);
    const misread = findMisread(runs);
    if (misread.size === 0) {
      return write(marked);
    }
    correctMarks(marked, round < MAX_ROUNDS ? runs.filter((_, index) => misread.has(index)) : runs, round < MAX_ROUNDS);
    marked = simplify(marked);
  }
}

function readMarks(markdown: string): Marked {
  const texts: string[] = [];
  const marks: Mark[] = [];
  const open: Mark[] = [];
  for (const [index, piece] of markdown.split(MARK).entries()) {
    if (index % 2 === 0) {
      texts.push(piece);
      continue;
    }
    const kind = Object.values(KINDS).find((one) => one.open === piece || one.close === piece) as Kind;
    const isOpen = kind.open === piece;
    const pair = (isOpen ? undefined : open.pop()?.pair) ?? { close: null, isDropped: !isOpen, isShrunk: false };
    const mark = { kind, isOpen, pair };
    if (isOpen) {
      open.push(mark);
    } else {
      pair.close = mark;
    }
    marks.push(mark);
  }
  for (const { pair } of open) {
    pair.isDropped = true;
  }
  return { texts, marks };
}

/** Removes dropped marks, empty pairs, and pairs within a pair of their kind. Two adjacent pairs of a kind become one. */
function simplify({ texts, marks }: Marked): Marked {
  const kept: Mark[] = [];
  const between = [texts[0] ?? ""];
  const depth = new Map<Kind, number>();
  for (const [index, mark] of marks.entries()) {
    const { kind, isOpen, pair } = mark;
    const level = depth.get(kind) ?? 0;
    pair.isDropped ||= isOpen && level > 0;
    if (!pair.isDropped) {
      depth.set(kind, level + (isOpen ? 1 : -1));
      const last = kept.at(-1);
      const gap = between.at(-1) ?? "";
      const isJoined = last?.kind === kind && isOpen && !last.isOpen && gap === "";
      const isAroundNothing = last?.pair === pair && !isOpen && gap.trim() === "";
      if (last !== undefined && (isJoined || isAroundNothing)) {
        kept.pop();
        between.pop();
        between.push((between.pop() ?? "") + gap);
        if (isJoined && pair.close !== null) {
          // The first pair is extended to the end of the second.
          last.pair.close = pair.close;
          pair.close.pair = last.pair;
        }
      } else {
        kept.push(mark);
        between.push("");
      }
    }
    between.push((between.pop() ?? "") + (texts[index + 1] ?? ""));
  }
  return { texts: between, marks: kept };
}

function toRuns({ texts, marks }: Marked): readonly MarkedRun[] {
  const runs: MarkedRun[] = [];
  for (let from = 0; from < marks.length; ) {
    const sign = (marks[from] as Mark).kind.sign;
    const opens = new Set<Pair>();
    const closes = new Set<Pair>();
    let length = 0;
    let to = from;
    do {
      const { kind, isOpen, pair } = marks[to] as Mark;
      length += kind.width;
      (isOpen ? opens : closes).add(pair);
      to += 1;
    } while (marks[to]?.kind.sign === sign && texts[to] === "");
    const before = lastCharacter(texts[from] ?? "") || (marks[from - 1]?.kind.sign ?? "");
    const after = firstCharacter(texts[to] ?? "") || (marks[to]?.kind.sign ?? "");
    runs.push({ sign, length, from, to, opens, closes, ...flanking(before, after) });
    from = to;
  }
  return runs;
}

function firstCharacter(text: string): string {
  return String.fromCodePoint(...[text.codePointAt(0)].filter((code) => code !== undefined));
}

function lastCharacter(text: string): string {
  return /[\s\S]$/u.exec(text.slice(-2))?.[0] ?? "";
}

/** Moves punctuation outside, once, where that may help, and removes the other emphases. */
function correctMarks(marked: Marked, runs: readonly MarkedRun[], mayShrink: boolean): void {
  const shrunk = new Set<Pair>();
  for (const run of mayShrink ? runs : []) {
    const pairs = marked.marks.slice(run.from, run.to).map(({ pair }) => pair);
    if (!pairs.some(({ isShrunk }) => isShrunk) && shrink(marked, run)) {
      for (const pair of pairs) {
        shrunk.add(pair);
      }
    }
  }
  for (const { from, to } of runs) {
    for (const { pair } of marked.marks.slice(from, to)) {
      pair.isShrunk ||= shrunk.has(pair);
      pair.isDropped ||= !shrunk.has(pair);
    }
  }
}

/** Moves punctuation from inside a run that cannot flank to its other side. @returns false when there is none */
function shrink({ texts, marks }: Marked, { from, to, canOpen, canClose }: MarkedRun): boolean {
  const run = marks.slice(from, to);
  if (!canOpen && run.every(({ isOpen }) => isOpen)) {
    const text = texts[to] ?? "";
    const moved = LEADING_PUNCTUATION.exec(text.slice(0, PUNCTUATION_MAX_CHARS))?.[0] ?? "";
    texts[to] = text.slice(moved.length);
    texts[from] = (texts[from] ?? "") + moved;
    return moved !== "";
  }
  if (!canClose && run.every(({ isOpen }) => !isOpen)) {
    const text = texts[from] ?? "";
    const moved = TRAILING_PUNCTUATION.exec(text.slice(-PUNCTUATION_MAX_CHARS))?.[0] ?? "";
    // At the start of the checked text, a preceding backslash would not be seen.
    if (moved.length < PUNCTUATION_MAX_CHARS) {
      texts[from] = text.slice(0, text.length - moved.length);
      texts[to] = moved + (texts[to] ?? "");
      return moved !== "";
    }
  }
  return false;
}

function write({ texts, marks }: Marked): string {
  return texts
    .map((text, index) => {
      const kind = marks[index]?.kind;
      return kind === undefined ? text : text + kind.sign.repeat(kind.width);
    })
    .join("");
}
