/**
 * Inline code, stored separately while the page is converted. Two adjacent code spans, or a span next to a backtick, would pair
 * their backticks differently and turn code into Markdown. That can only be checked in the finished text. A rule therefore writes
 * a numbered mark, and the code is inserted at the end.
 */
import { escapeMarkdown, escapePipes, SPAN_END, SPAN_START, stripMarks } from "./escape-markdown.ts";

/** What makes a label the beginning of a definition. */
const LABEL_END = "]:";
const SPAN = /\uE000(\d+)\uE001/g;

/**
 * What may be the label of a definition, from the start of its line: behind marks of emphasis, which may be left out later, of lists and of
 * quotes, up to the first bracket that is not escaped and not code.
 */
const LABEL_START = /^(?:[ \t>\uE003-\uE008]|- |\d{1,9}\. )*\[(?:\\.|[^\\[\]\n])*/gm;

export interface CodeSpans {
  /** Stores code and returns its mark, or "" for blank code. */
  add(code: string, place: { readonly cell: boolean }): string;
  /**
   * Writes code as text where it would end the label of a link reference definition: a paragraph that begins with the link
   * ``[`]:`](/x)`` is one, because CommonMark looks for definitions before it looks for code (§ 4.7), and its text would be lost.
   */
  unquoteDefinitions(markdown: string): string;
  /** Inserts all code into the finished Markdown, and decides each final `!` of a text. */
  restore(markdown: string): string;
}

export function createCodeSpans(): CodeSpans {
  const codes: string[] = [];
  const spans: string[] = [];
  return {
    add(code, place) {
      const line = stripMarks(code).replace(/\s/g, " ").trim();
      if (line === "") {
        return "";
      }
      const span = quoteCode(line);
      codes.push(line);
      spans.push(place.cell ? escapePipes(span) : span);
      return `${SPAN_START}${spans.length - 1}${SPAN_END}`;
    },
    unquoteDefinitions: (markdown) =>
      markdown.replace(LABEL_START, (label) => {
        let isLabel = true;
        return label.replace(SPAN, (mark, number: string) => {
          const bracket = isLabel ? findBracket(spans[Number(number)] ?? "") : null;
          // After another bracket, what follows belongs to no label.
          isLabel &&= bracket === null || bracket === LABEL_END;
          return bracket === LABEL_END ? escapeMarkdown(codes[Number(number)] ?? "") : mark;
        });
      }),
    restore: (markdown) =>
      markdown
        .replace(/\uE002(\[?)/g, (_mark, link: string) => (link === "" ? "!" : "\\!["))
        .replace(SPAN, (_mark, number: string, offset: number, whole: string) => {
          const before = whole[offset - 1];
          const touches = before === "`" || before === SPAN_END;
          return (touches ? " " : "") + spans[Number(number)];
        }),
  };
}

/** The first bracket that is not escaped; a closing one with the character behind it. */
function findBracket(span: string): string | null {
  return /^(?:\\.|[^\\[\]])*(\[|\].?)/s.exec(span)?.[1] ?? null;
}

/** Uses one backtick more than the longest run inside. */
function quoteCode(code: string): string {
  const fence = "`".repeat(longestRun(code, 1) + 1);
  const padding = code.startsWith("`") || code.endsWith("`") ? " " : "";
  return `${fence}${padding}${code}${padding}${fence}`;
}

/** A fenced block. Its fence is longer than any run of backticks in the code. */
export function fenceCode(code: string, language: string): string {
  const text = stripMarks(code);
  const fence = "`".repeat(Math.max(3, longestRun(text, 3) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

function longestRun(code: string, min: number): number {
  let longest = 0;
  for (const [run] of code.matchAll(/`+/g)) {
    longest = Math.max(longest, run.length);
  }
  return longest < min ? 0 : longest;
}
