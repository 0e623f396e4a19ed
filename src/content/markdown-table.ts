/**
 * Lays cells out as a GFM table: one heading row (an empty one where the page has none), a pipe in text escaped, one
 * line per row. Turndown's GFM plugins leave tables without a heading row as raw HTML, or escape the backslash of the
 * escaped pipe, so that cells break apart.
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

/** Cells that reach into following rows, at one time. More are taken as one row high, to keep the work bounded. */
const OPEN_ROW_SPANS_MAX = 256;

/** A cell that reaches down: its columns are taken in the next `rowsLeft` rows. */
interface RowSpan {
  readonly from: number;
  readonly to: number;
  rowsLeft: number;
}

type PlacedRow = ReadonlyMap<number, string>;

/** The rows as a GFM table, or "" when all cells are empty. `onRow` sees each line, so the caller can bound the size. */
export function renderTable(rows: readonly TableRow[], onRow: (line: string) => void): string {
  const placed = placeCells(rows);
  // Columns that only exist because a cell spans them say nothing: each column kept has a cell that begins in it.
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
    // A row may be shorter than the table: padding all of them to one wide row would multiply the size.
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

/** Gives each cell its column, leaving out those that cells from above reach into. */
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
