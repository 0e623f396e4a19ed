/**
 * Escapes text from a page, so that Markdown shows it literally. Turndown's own escape keeps `<`, so the *text* `&lt;script&gt;`
 * would become a live tag. It also keeps `&lt;` written as `&amp;lt;`, which would be decoded once more.
 */

/**
 * Private characters in rendered text for decisions that `code-spans.ts` makes at the end. They are removed from every page. Two
 * are brackets around the number of a code span. One is a `!`, which becomes markup only before a link. Those up to U+E008 are
 * the marks of `emphasis.ts`.
 */
export const SPAN_START = "\uE000";
export const SPAN_END = "\uE001";
export const LAST_BANG = "\uE002";
/** Follows a text that is only a number. Before a `.` or `)` of the next element, the number would begin a list. */
const LAST_DIGIT = "\uE009";

/** Escapes one run of text for Markdown: formatting, links, entities, tags, and block markers at the start of a line. */
export function escapeMarkdown(text: string): string {
  return (
    stripMarks(text)
      .replace(/&(?=#?[A-Za-z0-9]+;)/g, "&amp;")
      .replace(/[\\*_`~[\]]/g, "\\$&")
      // At the end of a text, the next node may complete the tag.
      .replace(/<(?=[A-Za-z/!?]|$)/g, "&lt;")
      .replace(/!$/, LAST_BANG)
      .replace(/^(:?-|\+(?= |$)|=|#{1,6}(?= |$)|>)/, "\\$1")
      .replace(/^(\d{1,9})([.)])(?= |$)/, "$1\\$2")
      .replace(/^ *\d{1,9}$/, `$&${LAST_DIGIT}`)
  );
}

/** Escapes an attribute (alt or title) for one line of Markdown. */
export function escapeAttribute(text: string): string {
  return escapeMarkdown(text.replace(/\s/g, " ").trim());
}

/** Removes the private characters, so that a page cannot use them. */
export function stripMarks(text: string): string {
  return text.replace(/[\uE000-\uE009]/g, "");
}

/** Decides the marks after numbers, when the next character is known. */
export function settleLastDigits(markdown: string): string {
  return markdown.replace(/\uE009([.)]?)/g, (_mark, next: string) => (next === "" ? "" : `\\${next}`));
}

/** Joins several lines into one, because a heading, a link's text and a table cell cannot contain a line break. */
export function joinLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
}

/**
 * Escapes the pipes of a table cell. A pipe after an odd number of backslashes (possible only in code) gets two more. Some
 * readers may then show one backslash too many, but no cell ends early.
 */
export function escapePipes(text: string): string {
  const parts = text.split("|");
  const last = parts.pop() ?? "";
  return parts.map((part) => part + (countTrailingBackslashes(part) % 2 === 0 ? "\\|" : "\\\\|")).join("") + last;
}

function countTrailingBackslashes(text: string): number {
  let start = text.length;
  while (text[start - 1] === "\\") {
    start -= 1;
  }
  return text.length - start;
}
