/**
 * Inline code, stored separately while the page is converted. Two adjacent code spans, or a span next to a backtick, would pair
 * their backticks differently and turn code into Markdown. That can only be checked in the finished text. A rule therefore writes
 * a numbered mark, and the code is inserted at the end.
 */
import { escapePipes, SPAN_END, SPAN_START, stripMarks } from "./escape-markdown.ts";

export interface CodeSpans {
  /** Stores code and returns its mark, or "" for blank code. */
  add(code: string, place: { readonly cell: boolean }): string;
  /** Inserts all code into the finished Markdown, and decides each final `!` of a text. */
  restore(markdown: string): string;
}

export function createCodeSpans(): CodeSpans {
  const spans: string[] = [];
  return {
    add(code, place) {
      const line = stripMarks(code).replace(/\s/g, " ").trim();
      if (line === "") {
        return "";
      }
      const span = quoteCode(line);
      spans.push(place.cell ? escapePipes(span) : span);
      return `${SPAN_START}${spans.length - 1}${SPAN_END}`;
    },
    restore: (markdown) =>
      markdown
        .replace(/\uE002(\[?)/g, (_mark, link: string) => (link === "" ? "!" : "\\!["))
        .replace(/\uE000(\d+)\uE001/g, (_mark, number: string, offset: number, whole: string) => {
          const before = whole[offset - 1];
          const touches = before === "`" || before === SPAN_END;
          return (touches ? " " : "") + spans[Number(number)];
        }),
  };
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
