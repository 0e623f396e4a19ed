/**
 * A text in a file that spreadsheets open. A spreadsheet runs what begins with `= + - @` as a formula, in a cell of its own too if it takes `;` for the
 * end of a cell, as many settings do. An apostrophe before such a beginning makes it text. A text that begins with an apostrophe gets another one, so
 * that a program can have the text back (docs/commands.md says how).
 */

/** Where a cell may begin, before what a spreadsheet would run (also in full width), or take for the apostrophe of this rule. */
const BEGINNING = /(^|;)(?=\s*[=+\-@'＝＋－＠])/g;

export function toSpreadsheetText(text: string): string {
  return text.replace(BEGINNING, "$1'");
}
