/**
 * Makes Markdown that came from a gateway inert: nothing in it passes as HTML, and no link or image leads anywhere but to the web, a
 * mail address, or its own site. What could act is escaped, not cut out, so the text stays whole. (Markdown that licet derives is inert
 * from the start.)
 *
 * Code is left as it is where every reader of CommonMark takes it for code; where readers might differ (in lists and quotes, over
 * several lines, in tables) it is treated as text. Then `&lt;` shows in code, which is ugly, and runs nowhere.
 */

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const LIST_ITEM = /^[ \t>]*(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)/;
/** What may stand before a link's definition: quotes, list markers, white space. */
const DEFINITION = /^((?:[ \t]*(?:>|[-+*]|\d{1,9}[.)]))*[ \t]*)\[/;
const AUTOLINK = /^<(?:https?:\/\/|mailto:)[^\s<>`]*>/i;
/** In angle brackets, where white space may stand too, or up to white space. */
const DESTINATION = /^\s*(?:<([^>]*)|([^\s)]*))/;
/** Longer addresses are judged by their beginning: no scheme is as long, and white space makes none of them safe. */
const ADDRESS_MAX_CHARS = 2_048;
const TAG_START = /^<[A-Za-z/!?]/;
/** A safe scheme, or an address that has none: nothing before its first `/`, `?` or `#` that could become a colon. */
const SAFE_ADDRESS = /^(?:https?:\/\/|mailto:|[^:&\\\s]*(?:[/?#]|$))/i;

export function inertMarkdown(markdown: string): string {
  let fence: RegExp | null = null;
  /** A run of backticks was left open in this paragraph: from there on nothing is certain to be code. */
  let isOpen = false;
  /** Behind a list, an indented fence may be in an item or not: from there on no fence is certain. */
  let hasList = false;
  let isAmbiguous = false;
  const lines = markdown.split(/(?<=\n|\r(?!\n))/);
  return lines
    .map((line, index) => {
      const bare = line.replace(/[\r\n]+$/, "");
      if (fence !== null) {
        fence = fence.test(bare) ? null : fence;
        return line;
      }
      hasList ||= LIST_ITEM.test(bare);
      isAmbiguous ||= hasList && /^[ \t]+(?:`{3}|~{3})/.test(bare);
      const opening = isAmbiguous ? undefined : FENCE.exec(bare)?.[1];
      if (opening !== undefined) {
        isOpen = false;
        fence = new RegExp(`^ {0,3}${opening[0]}{${opening.length},}[ \\t]*$`);
        return line;
      }
      isOpen &&= bare.trim() !== "";
      const inert = escapeLine(line, lines[index + 1] ?? "", isOpen);
      isOpen = inert.isOpen;
      return escapeDefinition(inert.text);
    })
    .join("");
}

/** @param next the line after it, where a link's address may stand */
function escapeLine(line: string, next: string, wasOpen: boolean): { readonly text: string; readonly isOpen: boolean } {
  let text = "";
  let isOpen = wasOpen;
  for (let at = 0; at < line.length; ) {
    const piece = readPiece(line, at, next, isOpen);
    isOpen ||= piece.isUnpaired;
    text += piece.text;
    at += piece.length;
  }
  return { text, isOpen };
}

interface Piece {
  readonly text: string;
  /** Characters of the line that it stands for. */
  readonly length: number;
  readonly isUnpaired: boolean;
}

function readPiece(line: string, at: number, next: string, isOpen: boolean): Piece {
  const character = line[at] as string;
  const asIs = (length: number): Piece => ({ text: line.slice(at, at + length), length, isUnpaired: false });
  switch (character) {
    case "\\":
      return asIs(Math.min(2, line.length - at));
    case "`": {
      const code = readCodeSpan(line, at);
      const run = /^`+/.exec(line.slice(at))?.[0].length ?? 1;
      return code === null || isOpen ? { ...asIs(run), isUnpaired: code === null } : asIs(code);
    }
    case "<": {
      const rest = line.slice(at, at + ADDRESS_MAX_CHARS);
      const link = AUTOLINK.exec(rest)?.[0].length;
      return link === undefined && TAG_START.test(rest) ? { ...asIs(1), text: "&lt;" } : asIs(link ?? 1);
    }
    case "]":
      return line[at + 1] === "(" && !isSafeDestination(line.slice(at + 2), next)
        ? { text: "]\\(", length: 2, isUnpaired: false }
        : asIs(1);
    default:
      return asIs(1);
  }
}

/** The length of a code span that begins here and ends on this line, without a pipe in it; null: there is none. */
function readCodeSpan(line: string, at: number): number | null {
  const run = /^`+/.exec(line.slice(at))?.[0] ?? "";
  for (let end = line.indexOf(run, at + run.length); end !== -1; end = line.indexOf(run, end)) {
    const closing = /^`+/.exec(line.slice(end))?.[0].length ?? 0;
    if (closing === run.length) {
      return line.slice(at, end).includes("|") ? null : end + closing - at;
    }
    end += closing;
  }
  return null;
}

/** An address may be in angle brackets, behind white space, or on the next line. */
function isSafeDestination(rest: string, next: string): boolean {
  const text = (rest.trim() === "" ? next : rest).slice(0, ADDRESS_MAX_CHARS);
  const [, bracketed, plain = ""] = DESTINATION.exec(text) ?? [];
  return SAFE_ADDRESS.test(bracketed ?? plain);
}

/** A definition whose address is not plainly safe is no longer one: its bracket is escaped. */
function escapeDefinition(line: string): string {
  const before = DEFINITION.exec(line)?.[1];
  if (before === undefined || (line.includes("]") && !line.includes("]:"))) {
    return line;
  }
  // Any "]:" may be the one that ends the label.
  const addresses = line.split("]:").slice(1);
  const isSafe = addresses.length > 0 && addresses.every((rest) => rest.trim() !== "" && isSafeDestination(rest, ""));
  return isSafe ? line : `${before}\\${line.slice(before.length)}`;
}
