/** Lists that are read from the newest row back, some at once, and go on behind a cursor: the number of the last row that was shown. */

export interface NewestAsked {
  readonly limit: number;
  /** `nextCursor` of the rows before. Undefined: from the newest one. */
  readonly cursor: string | undefined;
}

/** So many rows behind the one of this number; null: from the newest one. */
export interface NewestQuery {
  readonly before: number | null;
  readonly limit: number;
}

/**
 * @param numberOf by which rows are ordered
 */
export async function readNewest<Row>(
  { limit, cursor }: NewestAsked,
  read: (query: NewestQuery) => Promise<readonly Row[]>,
  numberOf: (row: Row) => number,
): Promise<{ readonly rows: readonly Row[]; readonly nextCursor: string | null }> {
  // One more than is shown says whether there are older ones.
  const found = await read({ before: cursor === undefined ? null : Number(cursor), limit: limit + 1 });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, nextCursor: found.length > limit && last !== undefined ? String(numberOf(last)) : null };
}
