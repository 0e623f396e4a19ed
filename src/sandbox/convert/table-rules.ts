import type TurndownService from "turndown";

/** Tables wider than this are laid out as text: they are hardly data. */
const MAX_COLUMNS = 40;
/** What a Markdown table cannot hold. */
const BLOCKS_IN_CELLS = "table, ul, ol, pre, blockquote, h1, h2, h3, h4, h5, h6";

interface TableNode {
  readonly nodeName: string;
  readonly parentNode: TableNode | null;
  getAttribute(name: string): string | null;
  querySelector(selector: string): TableNode | null | undefined;
  getElementsByTagName(name: string): ArrayLike<TableNode>;
}

/** Teaches turndown tables: data tables become Markdown tables, tables that only lay out a page become plain blocks. */
export function addTableRules(service: TurndownService): void {
  const shapes = new WeakMap<object, TableShape>();
  const shapeOf = (node: TableNode) => {
    let table: TableNode | null = node;
    while (table !== null && table.nodeName !== "TABLE") table = table.parentNode;
    if (table === null) return LAYOUT;
    let shape = shapes.get(table);
    if (shape === undefined) {
      shape = measure(table);
      shapes.set(table, shape);
    }
    return shape;
  };

  service.addRule("tableCell", {
    filter: ["td", "th"],
    replacement: (content, node) => {
      const cell = node as unknown as TableNode;
      if (shapeOf(cell).columns === 0) return `\n\n${content}\n\n`;
      const text = content
        .trim()
        .replace(/\s*\n\s*/g, " ")
        .replace(/\|/g, "\\|");
      return ` ${text} |${" |".repeat(spanOf(cell) - 1)}`;
    },
  });
  service.addRule("tableRow", {
    filter: "tr",
    replacement: (content, node) => {
      const row = node as unknown as TableNode;
      const { columns, firstRow } = shapeOf(row);
      if (columns === 0) return `\n\n${content}\n\n`;
      const line = `|${content.replace(/\n/g, "")}${" |".repeat(Math.max(0, columns - columnsOf(row)))}\n`;
      return row === firstRow ? `${line}|${" --- |".repeat(columns)}\n` : line;
    },
  });
  service.addRule("tableSection", { filter: ["thead", "tbody", "tfoot"], replacement: (content) => content });
  service.addRule("tableCaption", { filter: "caption", replacement: (content) => `${content.trim()}\n\n` });
  service.addRule("table", { filter: "table", replacement: (content) => `\n\n${content}\n\n` });
}

interface TableShape {
  /** 0: the table only lays out the page. */
  readonly columns: number;
  readonly firstRow: TableNode | undefined;
}

const LAYOUT: TableShape = { columns: 0, firstRow: undefined };

function measure(table: TableNode): TableShape {
  const rows = Array.from(table.getElementsByTagName("tr"));
  const columns = Math.max(0, ...rows.map(columnsOf));
  const isData = columns >= 2 && columns <= MAX_COLUMNS && !table.querySelector(BLOCKS_IN_CELLS);
  return isData ? { columns, firstRow: rows[0] } : LAYOUT;
}

function columnsOf(row: TableNode): number {
  return [...Array.from(row.getElementsByTagName("td")), ...Array.from(row.getElementsByTagName("th"))]
    .map(spanOf)
    .reduce((sum, span) => sum + span, 0);
}

function spanOf(cell: TableNode): number {
  const span = Number(cell.getAttribute("colspan") ?? 1);
  return Number.isInteger(span) && span >= 1 && span <= MAX_COLUMNS ? span : 1;
}
