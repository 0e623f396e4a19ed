/**
 * Text from a page, made to mean itself in Markdown. Turndown's own escape leaves `<` alone, so that the *text*
 * `&lt;script&gt;` would come out as a live tag; and it leaves `&lt;` written as `&amp;lt;` to be decoded once more.
 */

/**
 * Private characters that stand in rendered text for what is settled at the end, in `code-spans.ts`, and are never let
 * in from a page: brackets around the number of a code span, and a `!` that only a link right after it turns into markup. Those up to
 * U+E008 are the marks of `emphasis.ts`.
 */
export const SPAN_START = "\uE000";
export const SPAN_END = "\uE001";
export const LAST_BANG = "\uE002";
/** Stands behind a text that is a number alone: with a `.` or `)` of the next element, it would begin a list. */
const LAST_DIGIT = "\uE009";

/** Escapes one run of text for Markdown: formatting, links, entities, tags, and what starts a block at line start. */
export function escapeMarkdown(text: string): string {
  return (
    stripMarks(text)
      .replace(/&(?=#?[A-Za-z0-9]+;)/g, "&amp;")
      .replace(/[\\*_`~[\]]/g, "\\$&")
      // At the end of a text the next node may begin with what makes it a tag.
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

/** Removes the private characters, so that a page cannot forge what they stand for. */
export function stripMarks(text: string): string {
  return text.replace(/[\uE000-\uE009]/g, "");
}

/** Settles what stands behind numbers, once their next sign is known. */
export function settleLastDigits(markdown: string): string {
  return markdown.replace(/\uE009([.)]?)/g, (_mark, next: string) => (next === "" ? "" : `\\${next}`));
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
