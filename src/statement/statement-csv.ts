/**
 * A statement as CSV (RFC 4180), one line a group and currency, for spreadsheets and bookkeeping. Totals are not in it: whoever adds up a
 * column must not count them twice.
 */
import { stringify } from "csv-stringify/sync";
import { formatMoney } from "../money/format-money.ts";
import { toMicros } from "../money/micros.ts";
import { plainText } from "../plain-text.ts";
import { toSpreadsheetText } from "./spreadsheet-text.ts";
import type { Statement, StatementLine } from "./statement.ts";
import { STATEMENT_COLUMNS } from "./statement-columns.ts";

export function formatStatementCsv(statement: Statement): string {
  const names = STATEMENT_COLUMNS.flatMap(({ name, isAmount }) => (isAmount ? [name, `${name}_micros`] : [name]));
  const rows = statement.lines.map((line) => [
    statement.month,
    statement.complete ? "yes" : "no",
    toSpreadsheetText(plainText(line.group ?? "")),
    toSpreadsheetText(plainText(line.currency ?? "")),
    ...toCells(line),
  ]);
  return stringify([["month", "complete", statement.by, "currency", ...names], ...rows], {
    record_delimiter: "windows",
  });
}

function toCells(line: StatementLine): (string | number)[] {
  return STATEMENT_COLUMNS.flatMap(({ isAmount, of }) => (isAmount ? [toDecimal(of(line)), of(line)] : [of(line)]));
}

/** `12.50`: exact, without the currency and without separators. */
function toDecimal(micros: number): string {
  return formatMoney({ micros: toMicros(micros), currency: "" }).trimEnd();
}
