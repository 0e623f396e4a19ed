/**
 * Reads HTML tables. A table of data becomes a Markdown table. A table for layout, or with content that no cell can have
 * (headings, code, long text), becomes its blocks, because one line would be unreadable.
 */
import { containsAny, type DomNode, ELEMENT_NODE, nextNode } from "./dom-node.ts";

export interface PageCell {
  readonly node: DomNode;
  readonly heading: boolean;
  readonly columnSpan: number;
  readonly rowSpan: number;
}

export interface PageRow {
  readonly inHead: boolean;
  readonly cells: readonly PageCell[];
}

/** A cell with more visible characters is part of the page's layout rather than a value. */
const CELL_TEXT_MAX_CHARS = 2_000;
/** HTML's own limit for `colspan`. It keeps a hostile number from widening the table. */
const COLUMN_SPAN_MAX = 1_000;
const ROW_SPAN_MAX = 65_534;
const NO_CELL_HOLDS: ReadonlySet<string> = new Set(["ARTICLE", "BLOCKQUOTE", "PRE", "SECTION"]);
const HEADINGS: ReadonlySet<string> = new Set(["H1", "H2", "H3", "H4", "H5", "H6"]);
const INVISIBLE: ReadonlySet<string> = new Set(["SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT", "svg", "IFRAME", "SELECT"]);
const ROW_GROUPS: ReadonlySet<string> = new Set(["THEAD", "TBODY", "TFOOT"]);

/** The table's own rows in document order, without rows of nested tables. */
export function readRows(table: DomNode): PageRow[] {
  return elementChildren(table).flatMap((child) => {
    if (child.nodeName === "TR") {
      return [readRow(child, false)];
    }
    if (!ROW_GROUPS.has(child.nodeName)) {
      return [];
    }
    const rows = elementChildren(child).filter((row) => row.nodeName === "TR");
    return rows.map((row) => readRow(row, child.nodeName === "THEAD"));
  });
}

/** True for a table whose cells are values: more than one cell, and each fits in a line. */
export function isDataTable(table: DomNode): boolean {
  if (/^(presentation|none)$/i.test(table.getAttribute("role")?.trim() ?? "")) {
    return false;
  }
  const cells = readRows(table).flatMap((row) => row.cells);
  return cells.length > 1 && cells.every(fitsOneLine);
}

/** The table that a cell or caption belongs to. */
export function tableOf(node: DomNode): DomNode | null {
  let at = node.parentNode;
  while (at !== null && (at.nodeName === "TR" || ROW_GROUPS.has(at.nodeName))) {
    at = at.parentNode;
  }
  return at?.nodeName === "TABLE" ? at : null;
}

function readRow(row: DomNode, inHead: boolean): PageRow {
  const cells = elementChildren(row).filter((cell) => cell.nodeName === "TD" || cell.nodeName === "TH");
  return {
    inHead,
    cells: cells.map((node) => ({
      node,
      heading: node.nodeName === "TH",
      columnSpan: readSpan(node.getAttribute("colspan"), COLUMN_SPAN_MAX),
      rowSpan: readSpan(node.getAttribute("rowspan"), ROW_SPAN_MAX),
    })),
  };
}

function readSpan(text: string | null, max: number): number {
  const span = Number.parseInt(text ?? "1", 10);
  return span >= 1 ? Math.min(span, max) : 1;
}

function fitsOneLine({ node, heading }: PageCell): boolean {
  if (containsAny(node, NO_CELL_HOLDS) || (!heading && containsAny(node, HEADINGS))) {
    return false;
  }
  let chars = 0;
  for (let at = nextNode(node, node); at !== null; at = nextNode(at, node, INVISIBLE.has(at.nodeName))) {
    chars += at.nodeType === ELEMENT_NODE ? 0 : (at.data ?? "").length;
    if (chars > CELL_TEXT_MAX_CHARS) {
      return false;
    }
  }
  return true;
}

function elementChildren(parent: DomNode): DomNode[] {
  const children: DomNode[] = [];
  for (let child = parent.firstChild; child !== null; child = child.nextSibling) {
    if (child.nodeType === ELEMENT_NODE) {
      children.push(child);
    }
  }
  return children;
}
