/**
 * A statement as CSV (RFC 4180), one line a group and currency, for spreadsheets and bookkeeping. Totals are not in it: whoever adds up a
 * column must not count them twice.
 */
import { stringify } from "csv-stringify/sync";
import { formatMoney } from "../money/format-money.ts";
import { toMicros } from "../money/micros.ts";
import { plainText } from "../plain-text.ts";
import type { Statement, StatementLine } from "./statement.ts";
import { STATEMENT_COLUMNS } from "./statement-columns.ts";

export function formatStatementCsv(statement: Statement): string {
  const names = STATEMENT_COLUMNS.flatMap(({ name, isAmount }) => (isAmount ? [name, `${name}_micros`] : [name]));
  const rows = statement.lines.map((line) => [
    statement.month,
    statement.complete ? "yes" : "no",
    plainText(line.group ?? ""),
    plainText(line.currency ?? ""),
    ...toCells(line),
  ]);
  return stringify([["month", "complete", statement.by, "currency", ...names], ...rows], {
    record_delimiter: "windows",
    // A spreadsheet would run `=…` as a formula: such a text gets an apostrophe before it. A number may begin with a minus sign.
    escape_formulas: true,
    cast: { string: (text) => (/^-\d+\.\d+$/.test(text) ? { value: text, escape_formulas: false } : text) },
  });
}

function toCells(line: StatementLine): (string | number)[] {
  return STATEMENT_COLUMNS.flatMap(({ isAmount, of }) => (isAmount ? [toDecimal(of(line)), of(line)] : [of(line)]));
}

/** `12.50`: exact, without the currency and without separators. */
function toDecimal(micros: number): string {
  return formatMoney({ micros: toMicros(micros), currency: "" }).trimEnd();
}
