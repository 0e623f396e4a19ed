/**
 * Renders cells as a GFM table: one heading row (an empty one if the page has none), escaped pipes, one line per row. Turndown's
 * GFM plugins keep tables without a heading row as raw HTML, or escape the backslash of the escaped pipe, so that cells break
 * apart.
 */
import { escapePipes, joinLines } from "./escape-markdown.ts";

export interface TableCell {
  /** Rendered Markdown; line breaks become spaces. */
  readonly text: string;
  readonly heading: boolean;
  readonly columnSpan: number;
  readonly rowSpan: number;
}

export interface TableRow {
  readonly inHead: boolean;
  readonly cells: readonly TableCell[];
}

/** The most open cells that span following rows. Further cells count as one row high, so that the work is bounded. */
const OPEN_ROW_SPANS_MAX = 256;

/** A cell that spans rows. Its columns are occupied in the next `rowsLeft` rows. */
interface RowSpan {
  readonly from: number;
  readonly to: number;
  rowsLeft: number;
}

type PlacedRow = ReadonlyMap<number, string>;

/** The rows as a GFM table, or "" when all cells are empty. `onRow` gets each line, so that the caller can limit the size. */
export function renderTable(rows: readonly TableRow[], onRow: (line: string) => void): string {
  const placed = placeCells(rows);
  // A column that exists only because a cell spans it is removed: a cell begins in each remaining column.
  const columns = [...new Set(placed.flatMap((row) => [...row.keys()]))].sort((a, b) => a - b);
  const first = rows.findIndex((row) => row.cells.length > 0);
  const headed = first !== -1 && isHeading(rows[first] as TableRow);
  const header = headed ? (placed[first] as PlacedRow) : new Map<number, string>();
  const body = placed.filter(
    (row, index) => (!headed || index !== first) && [...row.values()].some((text) => text !== ""),
  );
  if (body.length === 0 && [...header.values()].every((text) => text === "")) {
    return "";
  }
  const widths = new Map(columns.map((column, index) => [column, index + 1]));
  const lines = [toLine(header, columns, columns.length), `|${" --- |".repeat(columns.length)}`];
  lines.forEach(onRow);
  for (const row of body) {
    // A row may be shorter than the table. Padding all rows to one wide row would multiply the size.
    const last = [...row.keys()].at(-1) ?? 0;
    const line = toLine(row, columns, widths.get(last) ?? 0);
    onRow(line);
    lines.push(line);
  }
  return lines.join("\n");
}

function isHeading(row: TableRow): boolean {
  return row.inHead || row.cells.every((cell) => cell.heading);
}

function toLine(row: PlacedRow, columns: readonly number[], width: number): string {
  const texts = columns.slice(0, width).map((column) => row.get(column) ?? "");
  return `| ${texts.join(" | ")} |`;
}

/** Gives each cell its column and skips columns that cells from above occupy. */
function placeCells(rows: readonly TableRow[]): PlacedRow[] {
  let open: RowSpan[] = [];
  return rows.map((row) => {
    const taken = open;
    const begun: RowSpan[] = [];
    const placed = new Map<number, string>();
    let column = 0;
    let next = 0;
    for (const cell of row.cells) {
      for (let span = taken[next]; span !== undefined && span.from <= column; span = taken[++next]) {
        column = Math.max(column, span.to);
      }
      placed.set(column, escapePipes(joinLines(cell.text)));
      if (cell.rowSpan > 1 && taken.length + begun.length < OPEN_ROW_SPANS_MAX) {
        begun.push({ from: column, to: column + cell.columnSpan, rowsLeft: cell.rowSpan });
      }
      column += cell.columnSpan;
    }
    open = [...taken, ...begun].filter((span) => --span.rowsLeft > 0).sort((a, b) => a.from - b.from);
    return placed;
  });
}
