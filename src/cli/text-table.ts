import { plainText } from "./plain-text.ts";

const GAP = "  ";
const INDENT = "  ";

export type Align = "left" | "right";

/**
 * Formats rows of plain text in columns as wide as their widest cell. The cells are cleaned here, so that no caller can forget
 * it.
 * @param align by column; default left
 */
export function textTable(
  header: readonly string[] | null,
  rows: readonly (readonly string[])[],
  align: readonly Align[] = [],
): string {
  const lines = (header === null ? rows : [header, ...rows]).map((row) => row.map(plainText));
  const widths: number[] = [];
  for (const line of lines) {
    line.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
    });
  }
  return lines
    .map((line) => {
      const cells = line.map((cell, column) => pad(cell, widths[column] ?? 0, align[column] ?? "left"));
      return `${INDENT}${cells.join(GAP)}`.trimEnd();
    })
    .map((line) => `${line}\n`)
    .join("");
}

function pad(cell: string, width: number, align: Align): string {
  const filler = " ".repeat(width - widthOf(cell));
  return align === "right" ? filler + cell : cell + filler;
}

/** Counts characters, not UTF-16 units. Wide East Asian characters count as one, so such a table may be slightly uneven. */
function widthOf(text: string): number {
  return Array.from(text).length;
}
