/**
 * Text from a page, made to mean itself in Markdown. Turndown's own escape leaves `<` alone, so that the *text*
 * `&lt;script&gt;` would come out as a live tag; and it leaves `&lt;` written as `&amp;lt;` to be decoded once more.
 */

/** Brackets around the number of a code span that is put in at the end; see `code-spans.ts`. Never let in from a page. */
export const SPAN_START = "\uE000";
export const SPAN_END = "\uE001";

/** Escapes one run of text for Markdown: formatting, links, entities, tags, and what starts a block at line start. */
export function escapeMarkdown(text: string): string {
  return (
    stripSpanMarks(text)
      .replace(/&(?=#?[A-Za-z0-9]+;)/g, "&amp;")
      .replace(/[\\*_`~[\]]/g, "\\$&")
      // At the end of a text the next node may begin with what makes it a tag.
      .replace(/<(?=[A-Za-z/!?]|$)/g, "&lt;")
      // Before a link it would make an image of it.
      .replace(/!$/, "\\!")
      .replace(/^(:?-|\+(?= |$)|=|#{1,6}(?= |$)|>)/, "\\$1")
      .replace(/^(\d{1,9})([.)])(?= |$)/, "$1\\$2")
  );
}

/** Escapes an attribute (alt or title) for one line of Markdown. */
export function escapeAttribute(text: string): string {
  return escapeMarkdown(text.replace(/\s/g, " ").trim());
}

/** Removes the two characters that mark code spans, so that a page cannot forge one. */
export function stripSpanMarks(text: string): string {
  return text.replace(/[\uE000\uE001]/g, "");
}

/** One line of several: a heading, a link's text and a table's cell cannot hold a line break. */
export function joinLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
}

/**
 * Escapes the pipes of a table cell. A pipe after an odd number of backslashes (only code has that) gets two more:
 * one reader or another may then show a backslash too many, but no cell ever ends early.
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
