/**
 * Tables for people. Each row is one line where the stream is wide enough. Where it is not, columns that may wrap do; then those that may
 * stand below their row; and where that does not help either, each row becomes a small block: its first cell, then every other cell behind
 * the title of its column. No cell is ever cut: a part of an id or of an amount would be a wrong one.
 */

import { plainText } from "../../plain-text.ts";
import { type Layout, PLAIN_LAYOUT, type Tone } from "./layout.ts";

const GAP = "  ";
const INDENT = "  ";
/** Before the lines below the first one of a block, and before notes. */
const HANGING = "    ";
const SEPARATOR = " · ";
/** A wrapped column that is narrower than this is worse than a block. */
const MIN_WRAPPED = 16;

export type Align = "left" | "right";

export interface Column {
  /** Empty: the column has no title. */
  readonly title: string;
  /** Amounts and counts are right-aligned. @default "left" */
  readonly align?: Align;
  /** Sentences may be broken between words. @default false */
  readonly wrap?: boolean;
  /** In a narrow table, the cell stands on a line of its own below the row: for addresses. @default false */
  readonly below?: boolean;
}

export type Cell = string | { readonly text: string; readonly tone: Tone };

export interface Row {
  readonly cells: readonly Cell[];
  /** Sentences below the row. */
  readonly notes?: readonly string[];
}

/** A column of a list, and what it shows of an item. */
export interface ItemColumn<Item> extends Column {
  cell(item: Item): Cell;
}

interface CleanRow {
  readonly cells: readonly { readonly text: string; readonly tone: Tone | null }[];
  readonly notes: readonly string[];
}

/** The cells are cleaned here, so that no caller can forget it. Empty when there are no rows. */
export function formatTable(columns: readonly Column[], rows: readonly Row[], layout: Layout): string {
  if (rows.length === 0) {
    return "";
  }
  const clean = rows.map(cleanRow);
  const available = layout.columns - INDENT.length;
  const widths = fitWidths(columns, clean, available);
  if (widths !== null) {
    return formatLines(columns, clean, { widths, layout });
  }
  const beside = columns.filter(({ below = false }) => !below);
  const lowered = clean.map((row) => lowerCells(columns, row));
  const narrow = fitWidths(beside, lowered, available);
  return narrow === null
    ? lowered.map((row) => formatBlock(beside, row, layout)).join("")
    : formatLines(beside, lowered, { widths: narrow, layout });
}

/** A row for each item. @param notesOf sentences below the row */
export function listTable<Item>(
  items: readonly Item[],
  columns: readonly ItemColumn<Item>[],
  layout: Layout,
  notesOf: (item: Item) => readonly string[] = () => [],
): string {
  const rows = items.map((item) => ({ cells: columns.map(({ cell }) => cell(item)), notes: notesOf(item) }));
  return formatTable(columns, rows, layout);
}

/** Moves the cells that may stand below the row to the notes below it. */
function lowerCells(columns: readonly Column[], { cells, notes }: CleanRow): CleanRow {
  const isBelow = (index: number) => columns[index]?.below === true;
  const texts = cells.filter((_, index) => isBelow(index)).map(({ text }) => text);
  return { cells: cells.filter((_, index) => !isBelow(index)), notes: [...texts.filter(hasText), ...notes] };
}

/** Whether a cell says something. */
function hasText(text: string): boolean {
  return text !== "" && text !== "-";
}

/**
 * A table of plain texts that does not mind the width of the stream.
 * @param align by column; default left
 */
export function textTable(
  header: readonly string[] | null,
  rows: readonly (readonly string[])[],
  align: readonly Align[] = [],
): string {
  const count = Math.max(header?.length ?? 0, ...rows.map((row) => row.length));
  const columns = Array.from({ length: count }, (_, column): Column => {
    return { title: header?.[column] ?? "", align: align[column] ?? "left" };
  });
  return formatTable(
    columns,
    rows.map((cells) => ({ cells })),
    PLAIN_LAYOUT,
  );
}

function cleanRow({ cells, notes = [] }: Row): CleanRow {
  return {
    cells: cells.map((cell) =>
      typeof cell === "string"
        ? { text: plainText(cell), tone: null }
        : { text: plainText(cell.text), tone: cell.tone },
    ),
    notes: notes.map(plainText),
  };
}

/** @returns the width of each column, or null when the rows do not fit however the columns wrap */
function fitWidths(columns: readonly Column[], rows: readonly CleanRow[], available: number): number[] | null {
  const textsOf = (index: number) => [
    columns[index]?.title ?? "",
    ...rows.map(({ cells }) => cells[index]?.text ?? ""),
  ];
  const widths = columns.map((_, index) => Math.max(...textsOf(index).map(widthOf)));
  let excess = widths.reduce((sum, width) => sum + width, GAP.length * (columns.length - 1)) - available;
  for (const [index, { wrap = false }] of columns.entries()) {
    const width = widths[index] ?? 0;
    const words = textsOf(index).flatMap((text) => text.split(" "));
    const least = wrap ? Math.min(width, Math.max(MIN_WRAPPED, ...words.map(widthOf))) : width;
    const taken = Math.max(0, Math.min(excess, width - least));
    widths[index] = width - taken;
    excess -= taken;
  }
  return excess > 0 ? null : widths;
}

function formatLines(
  columns: readonly Column[],
  rows: readonly CleanRow[],
  { widths, layout }: { readonly widths: readonly number[]; readonly layout: Layout },
): string {
  const titles: CleanRow = { cells: columns.map(({ title }) => ({ text: title, tone: null })), notes: [] };
  const lines = (row: CleanRow): string => {
    const wrapped = row.cells.map(({ text }, index) => wrapText(text, widths[index] ?? 0));
    const height = Math.max(1, ...wrapped.map(({ length }) => length));
    const printed = Array.from({ length: height }, (_, line) => {
      const cells = columns.map(({ align = "left" }, index) => {
        const text = wrapped[index]?.[line] ?? "";
        const tone = row.cells[index]?.tone ?? null;
        const filler = " ".repeat(Math.max(0, (widths[index] ?? 0) - widthOf(text)));
        const painted = tone === null || text === "" ? text : layout.paint(tone, text);
        return align === "right" ? filler + painted : painted + filler;
      });
      return `${INDENT}${cells.join(GAP)}`.trimEnd();
    });
    return [...printed, ...formatNotes(row, layout)].map((line) => `${line}\n`).join("");
  };
  const hasTitles = columns.some(({ title }) => title !== "");
  return [...(hasTitles ? [titles] : []), ...rows].map(lines).join("");
}

/** The first cell, then `title value · title value …`, as many on a line as fit. */
function formatBlock(columns: readonly Column[], row: CleanRow, layout: Layout): string {
  const parts = row.cells.map(({ text, tone }, index) => {
    const value = tone === null || text === "" ? text : layout.paint(tone, text);
    const title = index === 0 ? "" : (columns[index]?.title ?? "");
    return { plain: joinTitle(title, text), painted: joinTitle(title, value), isEmpty: !hasText(text) };
  });
  const [first, ...rest] = parts;
  const lines: string[] = [`${INDENT}${first?.painted ?? ""}`];
  let line = "";
  let width = 0;
  for (const { plain, painted } of rest.filter(({ isEmpty }) => !isEmpty)) {
    const wide = widthOf(plain);
    if (line !== "" && HANGING.length + width + SEPARATOR.length + wide > layout.columns) {
      lines.push(HANGING + line);
      line = "";
      width = 0;
    }
    const isFirst = line === "";
    if (HANGING.length + wide > layout.columns) {
      lines.push(...wrapText(plain, layout.columns - HANGING.length).map((text) => HANGING + text));
      continue;
    }
    line += (isFirst ? "" : SEPARATOR) + painted;
    width += (isFirst ? 0 : SEPARATOR.length) + wide;
  }
  if (line !== "") {
    lines.push(HANGING + line);
  }
  return [...lines, ...formatNotes(row, layout)].map((text) => `${text}\n`).join("");
}

function joinTitle(title: string, value: string): string {
  return title === "" ? value : `${title} ${value}`;
}

function formatNotes({ notes }: CleanRow, { columns }: Layout): string[] {
  return notes.flatMap((note) => wrapText(note, columns - HANGING.length).map((line) => HANGING + line));
}

/** A sentence of an output, on as many lines as it needs. It is cleaned here. @param tone colours it */
export function formatLine(text: string, layout: Layout, { indent = "", tone }: LineStyle = {}): string {
  return wrapText(plainText(text), layout.columns - indent.length)
    .map((line) => `${indent}${tone === undefined ? line : layout.paint(tone, line)}\n`)
    .join("");
}

export interface LineStyle {
  readonly indent?: string;
  readonly tone?: Tone;
}

/** Breaks a text between words. A word that is wider than the line stays whole. */
export function wrapText(text: string, width: number): string[] {
  if (widthOf(text) <= width) {
    return [text];
  }
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** Characters that a terminal shows in two columns: those of East Asia, full-width forms, and emoji. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
/** Characters that it shows on the one before. */
const COMBINING = /[\p{Mn}\p{Me}]/u;

/** The columns that a clean text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    width += COMBINING.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  }
  return width;
}
