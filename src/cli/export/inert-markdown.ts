/**
 * Makes the gateway's Markdown inert: no HTML is rendered, and links and images lead only to the web, a mail address, or the same
 * site. Active parts are escaped and not removed, so the text stays complete. Markdown that licet derives is already inert.
 *
 * Code is kept where every CommonMark reader sees code. Where readers may differ (in lists and quotes, over several lines, in
 * tables), it is treated as text. Code may then show `&lt;`, which is ugly but safe.
 */

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const LIST_ITEM = /^[ \t>]*(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)/;
/** Text that may precede a link definition: quotes, list markers, white space. */
const DEFINITION = /^((?:[ \t]*(?:>|[-+*]|\d{1,9}[.)]))*[ \t]*)\[/;
const AUTOLINK = /^<(?:https?:\/\/|mailto:)[^\s<>`]*>/i;
/** An address in angle brackets, which may contain white space, with what stands against them, or an address up to the next white space. */
const DESTINATION = /^\s*(?:<([^>]*)(?:>([^\s)]?))?|([^\s)]*))/;
/** Longer addresses are checked by their beginning. No scheme is that long, and white space makes none of them safe. */
const ADDRESS_MAX_CHARS = 2_048;
const TAG_START = /^<[A-Za-z/!?]/;
/** A safe scheme, or an address without a scheme: nothing before its first `/`, `?` or `#` could become a colon. */
const SAFE_ADDRESS = /^(?:https?:\/\/|mailto:|[^:&\\\s]*(?:[/?#]|$))/i;

export function inertMarkdown(markdown: string): string {
  let fence: RegExp | null = null;
  /** True when a run of backticks was left open in this paragraph. After it nothing is certain to be code. */
  let isOpen = false;
  /** After a list, an indented fence may be part of an item, so no later fence is certain. */
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

/** @param next the line after it, which may contain a link's address */
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
  /** The number of characters of the line that it replaces. */
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

/** The length of a code span that begins here and ends on this line, without a pipe in it. Null when there is none. */
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

/** An address may be in angle brackets, after white space, or on the next line. */
function isSafeDestination(rest: string, next: string): boolean {
  const text = (rest.trim() === "" ? next : rest).slice(0, ADDRESS_MAX_CHARS);
  const [, bracketed, against = "", plain = ""] = DESTINATION.exec(text) ?? [];
  // What looks like a tag is escaped, and is then a part of the address.
  return against === "" && SAFE_ADDRESS.test(bracketed ?? plain);
}

/** A definition whose address is not certainly safe is disabled: its bracket is escaped. */
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
