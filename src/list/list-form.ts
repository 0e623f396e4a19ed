/** In which form a list is written: the first line that says something tells it. Apart from csv-record.ts, which loads a parser. */

/** Whether the line names columns, in whatever spelling and however separated. A URL may have `,url,` in it. */
export function namesColumns(line: string): boolean {
  return !/^\s*[a-z]+:/i.test(line) && line.split(/[,;\t|]/).some(isUrlColumn);
}

export function isUrlColumn(cell: string): boolean {
  return /^\s*"?\s*url\s*"?\s*$/i.test(cell);
}

/** Whether the name of a file says that it is CSV, also compressed. */
export function isCsvName(path: string): boolean {
  return /\.csv(?:\.gz)?$/i.test(path);
}
