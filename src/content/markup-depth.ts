/**
 * Estimates how deep markup nests, before anything parses it. The parser's work grows with the square of the depth (20,000 open
 * `div`s take seconds), and later code recurses. This scan reads the text once, counts by tag name, and counts only elements that
 * stay open until they are closed. It may be wrong on careless markup, so its caller allows a multiple of the limit and measures
 * the parsed tree afterwards.
 */

/** Elements without content, and elements that the next element of their kind (or of their table) closes. They do not nest. */
const NEVER_DEEP: ReadonlySet<string> = new Set(
  (
    "area base br col embed hr img input link meta param source track wbr " +
    "a body button caption colgroup dd dt head html li nobr optgroup option p rp rt tbody td tfoot th thead tr"
  ).split(" "),
);
/** Their content is text, except inside SVG and MathML. */
const RAW_TEXT: ReadonlySet<string> = new Set(
  "script style textarea title xmp iframe noembed noframes noscript".split(" "),
);
/** Common HTML elements that end an SVG or MathML part, as the parser does. */
const ENDS_FOREIGN: ReadonlySet<string> = new Set(
  "b big blockquote center code div dl em font h1 h2 h3 h4 h5 h6 i ol pre s small span strong sub sup table u ul".split(
    " ",
  ),
);
/** The longest tag name that is counted separately. Longer names share one count. */
const NAME_MAX_CHARS = 24;

/** True when more than `max` elements seem to be open at once somewhere in `html`. The time is linear in its length. */
export function seemsDeeperThan(html: string, max: number): boolean {
  const text = html.toLowerCase();
  const open = new Map<string, number>();
  let depth = 0;
  let at = text.indexOf("<");
  while (at !== -1) {
    const tag = readTag(text, at);
    if (tag === "end") {
      return false;
    }
    at = tag.next;
    if (tag.name !== "" && !NEVER_DEEP.has(tag.name)) {
      const count = open.get(tag.name) ?? 0;
      const foreign = (open.get("svg") ?? 0) + (open.get("math") ?? 0) > 0;
      if (tag.closing) {
        open.set(tag.name, Math.max(0, count - 1));
        depth -= count > 0 ? 1 : 0;
      } else if (RAW_TEXT.has(tag.name) && !foreign) {
        at = text.indexOf(`</${tag.name}`, at);
        if (at === -1) {
          return false;
        }
      } else if (!(foreign && tag.selfClosing && !ENDS_FOREIGN.has(tag.name))) {
        open.set(tag.name, count + 1);
        depth += 1;
        if (foreign && ENDS_FOREIGN.has(tag.name)) {
          depth -= (open.get("svg") ?? 0) + (open.get("math") ?? 0);
          open.set("svg", 0);
          open.set("math", 0);
        }
        if (depth > max) {
          return true;
        }
      }
    }
    at = text.indexOf("<", at);
  }
  return false;
}

interface Tag {
  readonly name: string;
  readonly closing: boolean;
  readonly selfClosing: boolean;
  /** The index to continue at. */
  readonly next: number;
}

/** Reads the tag or comment at a `<`. The name is empty when it is neither, and the result is "end" when it is never finished. */
function readTag(text: string, at: number): Tag | "end" {
  if (text.startsWith("!--", at + 1)) {
    // From the dashes on, because `<!-->` is a whole comment to a parser too.
    const end = text.indexOf("-->", at + 2);
    return end === -1 ? "end" : { name: "", closing: false, selfClosing: false, next: end + 3 };
  }
  const closing = text[at + 1] === "/";
  const start = at + (closing ? 2 : 1);
  const name = /^[a-z][a-z0-9]*/.exec(text.slice(start, start + NAME_MAX_CHARS))?.[0] ?? "";
  if (name === "") {
    return { name, closing, selfClosing: false, next: start };
  }
  const end = text.indexOf(">", start);
  return end === -1 ? "end" : { name, closing, selfClosing: text[end - 1] === "/", next: end + 1 };
}
