/**
 * A list as CSV (RFC 4180): the first line names the columns, and each record is one page. A column that means nothing here is let through, as a
 * field of a JSON line is. A column that is misspelt is not: a cap in it would not hold.
 */
import { CsvError, parse } from "csv-parse/sync";
import { suggestKey } from "../suggest-key.ts";
import { isUrlColumn, namesColumns } from "./list-form.ts";
import { isMisspelt, LIST_FIELDS, type ParsedLine, parseEntry } from "./parse-line.ts";

/** Lines end where they were split. A cell in quotes keeps its own line ends. */
const ONE_RECORD = { record_delimiter: "\n", relax_column_count: true } as const;
/** What a cell can say. A license has two parts. */
const COLUMNS: readonly string[] = LIST_FIELDS.filter((field) => field !== "license");
const NUMBER = /^\d+(?:\.\d+)?$/;

/** The columns, in their order, as the first line names them. */
export type CsvColumns = readonly string[];

/** @returns the columns, or what is wrong with them, as a sentence without its end */
export function parseCsvHeader(line: string): CsvColumns | string {
  const cells = parseCells(line);
  if (typeof cells === "string") {
    return "its first line is not CSV";
  }
  const columns = cells.map((cell) => cell.trim());
  if (!columns.some(isUrlColumn)) {
    return namesColumns(line) ? "its columns are not separated by commas" : "its first line names no column url";
  }
  const wrong = columns.find(isMisspelt);
  if (wrong !== undefined) {
    return `its column ${wrong} is misspelt: ${suggestKey(wrong, COLUMNS)}`;
  }
  if (columns.includes("license")) {
    return "it has a column license, which a list in CSV cannot have";
  }
  const twice = COLUMNS.find((column) => columns.indexOf(column) !== columns.lastIndexOf(column));
  return twice === undefined ? columns : `it has two columns ${twice}`;
}

/**
 * @param text one record without its last line end
 * @returns `open` when a cell in quotes goes on in the next line
 */
export function parseCsvRecord(columns: CsvColumns, text: string): ParsedLine | "open" {
  const cells = parseCells(text);
  if (typeof cells === "string") {
    return cells === "open" ? "open" : { kind: "bad", reason: "not_csv" };
  }
  if (cells.every((cell) => cell.trim() === "")) {
    return { kind: "blank" };
  }
  if (cells.length !== columns.length) {
    return { kind: "bad", reason: "not_csv" };
  }
  const given = cells.map((cell, index) => [columns[index] as string, toValue(columns[index], cell.trim())] as const);
  return parseEntry(Object.fromEntries(given.filter(([column]) => COLUMNS.includes(column))));
}

/** An empty cell says nothing. Every cell is text: what is not a number stays one, and is refused. */
function toValue(column: string | undefined, cell: string): string | number | null {
  if (cell === "") {
    return null;
  }
  return column === "value" && NUMBER.test(cell) ? Number(cell) : cell;
}

function parseCells(text: string): readonly string[] | "open" | "wrong" {
  try {
    const [cells = []] = parse(text, ONE_RECORD);
    return cells;
  } catch (error) {
    if (error instanceof CsvError) {
      return error.code === "CSV_QUOTE_NOT_CLOSED" ? "open" : "wrong";
    }
    throw error;
  }
}
