/**
 * Prepares a parsed page for turndown: removes elements that are not text, normalises white space, and notes for each element
 * what the rules need. Turndown decides node by node, and its regular expressions take quadratic time on long runs of white
 * space. Elements that can produce such a run (no-break spaces, line breaks, images without an address, empty code blocks) are
 * removed here. There is no recursion. The depth of the tree was checked before.
 */
import { containsAny, type DomNode, ELEMENT_NODE, nextNode, TEXT_NODE } from "./dom-node.ts";
import { isDataTable, tableOf } from "./page-table.ts";
import { resolveBase, resolveImage, resolveLink } from "./safe-url.ts";

/** The place of an element. Elements in the same place share one object. */
export interface Place {
  /** In a heading, a link or a cell, where only one line of Markdown is possible. Blocks are flattened. */
  readonly flat: boolean;
  readonly cell: boolean;
  readonly link: boolean;
  /** In `<pre>`, where white space is preserved. */
  readonly pre: boolean;
}

export interface PageTree {
  readonly root: DomNode;
  placeOf(node: DomNode): Place;
  /** True for a cell or caption of a table that becomes a Markdown table. */
  isDataCell(node: DomNode): boolean;
  /** The absolute address of each link and image that has an allowed one. */
  readonly urls: WeakMap<DomNode, string>;
  /** Links around lists, tables or code, which do not fit in one line of link text. */
  readonly heavyLinks: WeakSet<DomNode>;
  /** Tables that become Markdown tables. The others are for layout. */
  readonly dataTables: WeakSet<DomNode>;
  /** Line breaks that follow another one. Together they end a paragraph. */
  readonly paragraphBreaks: WeakSet<DomNode>;
  /** Inline elements with blocks inside, such as `<b><p>`. Nothing may be added to the blocks' lines. */
  readonly aroundBlocks: WeakSet<DomNode>;
  /** The number of each item of an ordered list. */
  readonly ordinals: WeakMap<DomNode, number>;
}

const DROPPED: ReadonlySet<string> = new Set(
  (
    "ANNOTATION ANNOTATION-XML APPLET AREA AUDIO BASE BGSOUND CANVAS COL COLGROUP COMMAND DATALIST EMBED FRAME HEAD " +
    "IFRAME INPUT KEYGEN LINK META METER NOEMBED NOFRAMES NOSCRIPT OBJECT PARAM PROGRESS SCRIPT SELECT SOURCE STYLE " +
    "SVG TEMPLATE TEXTAREA TITLE TRACK VIDEO WBR"
  ).split(" "),
);
/** Elements that begin a new line. */
const BLOCKS: ReadonlySet<string> = new Set(
  (
    "ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CAPTION CENTER DD DETAILS DIALOG DIR DIV DL DT FIELDSET FIGCAPTION FIGURE " +
    "FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER HGROUP HR HTML LEGEND LI LISTING MAIN MENU NAV OL OUTPUT P PLAINTEXT PRE " +
    "SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL XMP"
  ).split(" "),
);
const HEADINGS: ReadonlySet<string> = new Set(["H1", "H2", "H3", "H4", "H5", "H6"]);
const TOO_MUCH_FOR_A_LINK: ReadonlySet<string> = new Set(["TABLE", "UL", "OL", "PRE", "BLOCKQUOTE"]);
/** Attributes in which lazily loading pages store an image's address while `src` has a placeholder. */
const IMAGE_SOURCES = ["src", "data-src", "data-original"];
/** Line breaks in a row that are kept: two end a paragraph, more have no effect. */
const BREAKS_IN_A_ROW = 2;
/** CommonMark reads list numbers of at most nine digits. */
const ORDINAL_MAX = 999_999_999;
const OPEN_PLACE: Place = { flat: false, cell: false, link: false, pre: false };

/** The state of one walk over a page. */
interface Walk extends PageTree {
  readonly base: URL | null;
  /** The place of an element itself and the place of its children. */
  readonly places: WeakMap<DomNode, Place>;
  readonly inner: WeakMap<DomNode, Place>;
  readonly lastOrdinal: WeakMap<DomNode, number>;
  breaks: number;
}

/** Prepares the page in place and returns it with the notes. */
export function preparePage(root: DomNode, pageUrl: string): PageTree {
  const places = new WeakMap<DomNode, Place>();
  const dataTables = new WeakSet<DomNode>();
  const walk: Walk = {
    root,
    placeOf: (node) => places.get(node) ?? OPEN_PLACE,
    isDataCell: (node) => {
      const table = tableOf(node);
      return table !== null && dataTables.has(table);
    },
    urls: new WeakMap(),
    heavyLinks: new WeakSet(),
    dataTables,
    paragraphBreaks: new WeakSet(),
    aroundBlocks: new WeakSet(),
    ordinals: new WeakMap(),
    base: resolveBase(pageUrl, findBaseHref(root)),
    places,
    inner: new WeakMap(),
    lastOrdinal: new WeakMap(),
    breaks: 0,
  };
  let node = nextNode(root, root);
  while (node !== null) {
    const kept = node.nodeType === TEXT_NODE ? keepText(walk, node) : keepElement(walk, node);
    const next = nextNode(node, root, !kept);
    if (!kept) {
      node.parentNode?.removeChild(node);
    }
    node = next;
  }
  return walk;
}

/** The first `<base href>`, as in browsers. */
function findBaseHref(root: DomNode): string | null {
  for (let node = nextNode(root, root); node !== null; node = nextNode(node, root)) {
    const href = node.nodeName === "BASE" ? node.getAttribute("href") : null;
    if (href !== null) {
      return href;
    }
  }
  return null;
}

function innerPlace(walk: Walk, parent: DomNode | null): Place {
  return (parent === null ? undefined : walk.inner.get(parent)) ?? OPEN_PLACE;
}

function keepText(walk: Walk, node: DomNode): boolean {
  if (!innerPlace(walk, node.parentNode).pre) {
    node.data = node.data.replace(/\s/g, " ");
  }
  if (node.data.trim() !== "") {
    walk.breaks = 0;
  }
  return true;
}

/** Notes what the rules need of an element. False when it must be removed. */
function keepElement(walk: Walk, node: DomNode): boolean {
  if (node.nodeType !== ELEMENT_NODE || DROPPED.has(node.nodeName.toUpperCase())) {
    return false;
  }
  const place = innerPlace(walk, node.parentNode);
  walk.places.set(node, place);
  walk.inner.set(node, place);
  noteBlock(walk, node);
  switch (node.nodeName) {
    case "BR":
      walk.breaks += 1;
      if (walk.breaks > 1 && !place.pre) {
        walk.paragraphBreaks.add(node);
      }
      return place.pre || walk.breaks <= BREAKS_IN_A_ROW;
    case "IMG":
      return keepImage(walk, node);
    case "PRE":
      walk.inner.set(node, { ...place, pre: true });
      return node.textContent.trim() !== "";
    case "A":
      noteLink(walk, node, place);
      return true;
    case "TABLE":
      if (!place.flat && isDataTable(node)) {
        walk.dataTables.add(node);
      }
      return true;
    case "TD":
    case "TH":
    case "CAPTION":
      if (!place.flat && walk.isDataCell(node)) {
        walk.inner.set(node, { ...place, flat: true, cell: true });
      }
      return true;
    case "LI":
      noteOrdinal(walk, node);
      return true;
    default:
      if (HEADINGS.has(node.nodeName) && !place.flat) {
        walk.inner.set(node, { ...place, flat: true });
      }
      return true;
  }
}

/** Marks the inline elements around a block, up to the next block. Each is visited only once. */
function noteBlock(walk: Walk, node: DomNode): void {
  if (!BLOCKS.has(node.nodeName)) {
    return;
  }
  for (
    let at = node.parentNode;
    at !== null && !BLOCKS.has(at.nodeName) && !walk.aroundBlocks.has(at);
    at = at.parentNode
  ) {
    walk.aroundBlocks.add(at);
    keepFlankingWhitespaceOff(at);
  }
}

/**
 * Turndown moves the white space at the edges of an inline element's text outside of its rendered text, and trims that text. If
 * the element contains a block, the space (even of code) would come before the block's first line, whose line break is gone, and
 * the fence of that code would be broken.
 */
function keepFlankingWhitespaceOff(node: DomNode): void {
  Object.defineProperty(node, "flankingWhitespace", { get: () => ({ leading: "", trailing: "" }), set: () => {} });
}

function keepImage(walk: Walk, node: DomNode): boolean {
  for (const source of IMAGE_SOURCES) {
    const url = resolveImage(node.getAttribute(source), walk.base);
    if (url !== null) {
      walk.urls.set(node, url);
      break;
    }
  }
  const kept = walk.urls.has(node) || (node.getAttribute("alt") ?? "").trim() !== "";
  walk.breaks = kept ? 0 : walk.breaks;
  return kept;
}

function noteLink(walk: Walk, node: DomNode, place: Place): void {
  const url = place.link ? null : resolveLink(node.getAttribute("href"), walk.base);
  if (url === null) {
    return;
  }
  walk.urls.set(node, url);
  const heavy = !place.flat && containsAny(node, TOO_MUCH_FOR_A_LINK);
  if (heavy) {
    walk.heavyLinks.add(node);
  }
  walk.inner.set(node, { ...place, link: true, flat: !heavy });
}

function noteOrdinal(walk: Walk, node: DomNode): void {
  const list = node.parentNode;
  if (list?.nodeName !== "OL") {
    return;
  }
  const last = walk.lastOrdinal.get(list);
  const next = last === undefined ? (parseOrdinal(list.getAttribute("start")) ?? 1) : last + 1;
  const ordinal = Math.min(parseOrdinal(node.getAttribute("value")) ?? next, ORDINAL_MAX);
  walk.lastOrdinal.set(list, ordinal);
  walk.ordinals.set(node, ordinal);
}

function parseOrdinal(text: string | null): number | null {
  return text !== null && /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : null;
}
