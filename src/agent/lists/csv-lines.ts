/**
 * The records of a list in CSV. Each line of the file is one line of the list, and its number is that of the file: a record is the line where it
 * begins, and the lines that a cell in quotes goes on over say nothing.
 */
import { LicetError } from "../../errors.ts";
import { type CsvColumns, parseCsvHeader, parseCsvRecord } from "../../list/csv-record.ts";
import type { ParsedLine } from "../../list/parse-line.ts";
import type { ListLine } from "../../pipeline/lists/list-reader.ts";
import { faultOf, MAX_LINE_BYTES, type TextLine } from "./text-lines.ts";

/** A record is bounded, as a line is: an open quote must not read the whole file into memory. */
const MAX_RECORD_CHARS = MAX_LINE_BYTES;
const MAX_RECORD_LINES = 1_000;

export interface CsvLines {
  /** Takes the next line. @returns the lines that are complete now. @throws LicetError LIST_UNREADABLE */
  take(line: TextLine): readonly ListLine[];
  /** @throws LicetError LIST_UNREADABLE when a cell is still open */
  end(): void;
}

/** Where a list begins to be CSV. */
export interface CsvHeader {
  /** The line that names the columns, and its number, from 1. */
  readonly text: string;
  readonly line: number;
  /** The file; null for a stream. */
  readonly path: string | null;
}

/** @throws LicetError LIST_UNREADABLE for columns that cannot be meant */
export function createCsvLines(header: CsvHeader): CsvLines {
  const columns = readColumns(header);
  let line = header.line;
  /** The lines of the record that is not complete. */
  let open: string[] = [];
  let openChars = 0;

  function close(parsed: ParsedLine): readonly ListLine[] {
    const lines = open.map((text, index): ListLine => ({ text, parsed: index === 0 ? parsed : { kind: "blank" } }));
    open = [];
    openChars = 0;
    return lines;
  }

  const notClosed = () => toOpenError(header, { from: line - open.length + 1, to: line });

  return {
    take({ text, problem }) {
      line += 1;
      open.push(text);
      openChars += text.length;
      const isContinued = open.length > 1;
      if (problem !== null && !isContinued) {
        return close({ kind: "bad", reason: faultOf(problem) });
      }
      if (problem !== null || openChars > MAX_RECORD_CHARS || open.length > MAX_RECORD_LINES) {
        throw notClosed();
      }
      // Only a quote ends a cell in quotes.
      const parsed =
        isContinued && !text.includes('"') ? "open" : parseCsvRecord(columns, open.join("\n").replace(/\r$/, ""));
      if (parsed === "open") {
        return [];
      }
      if (isContinued && parsed.kind === "bad" && parsed.reason === "not_csv") {
        throw notClosed();
      }
      return close(parsed);
    },
    end() {
      if (open.length > 0) {
        throw notClosed();
      }
    },
  };
}

function readColumns({ text, line, path }: CsvHeader): CsvColumns {
  const columns = parseCsvHeader(text.replace(/\r$/, ""));
  if (typeof columns === "string") {
    throw new LicetError("LIST_UNREADABLE", `${path ?? "the list"} cannot be read: ${columns}`, {
      hint: "The first line of a list in CSV names its columns, separated by commas: url,key,maxPrice,value. Only url is needed.",
      details: { path, line, code: null },
    });
  }
  return columns;
}

/** What is behind an open quote may be text of anybody, and not lines of the list: nothing more of it is read. */
function toOpenError({ path }: CsvHeader, { from, to }: { readonly from: number; readonly to: number }): LicetError {
  const where = path === null ? `line ${from} of the list` : `${path}:${from}`;
  return new LicetError("LIST_UNREADABLE", `a cell in quotes begins in ${where}, and up to line ${to} it is not CSV`, {
    hint: 'Mend that line, and give the list again. A cell with a quote in it stands in quotes, and each quote in it twice: "5"" disk".',
    details: { path, line: to, code: null },
  });
}
