/**
 * Inline code, kept aside while the page is converted. Two spans that touch, or one that touches a backtick, would
 * pair up their backticks differently and set code free as live Markdown; only when the text is whole can that be
 * seen. So a rule leaves a numbered mark, and the code is put in at the end.
 */
import { escapePipes, SPAN_END, SPAN_START, stripMarks } from "./escape-markdown.ts";

export interface CodeSpans {
  /** Keeps code and returns the mark that stands for it, "" for blank code. */
  add(code: string, place: { readonly cell: boolean }): string;
  /** Puts all code into the finished Markdown, and settles the last `!` of texts. */
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

/** One backtick more than the longest run inside. */
function quoteCode(code: string): string {
  const fence = "`".repeat(longestRun(code, 1) + 1);
  const padding = code.startsWith("`") || code.endsWith("`") ? " " : "";
  return `${fence}${padding}${code}${padding}${fence}`;
}

/** A fenced block, its fence longer than any run of backticks in the code. */
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
