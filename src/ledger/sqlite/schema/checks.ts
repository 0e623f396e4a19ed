import type { SQL } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { sql } from "../engine/drizzle.ts";

/**
 * The second half of each pair of assertions (the first is in the operations): what SQLite itself refuses to store.
 * Tables are STRICT, so that a column can hold no other type than its own; these say which values of it.
 */

/** `column IN ('a', 'b')`; a NULL passes, as it does everywhere in CHECK. */
export function isOneOf(column: AnySQLiteColumn, values: readonly string[]): SQL {
  return sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(", "))})`;
}

/**
 * The same as {@link isOneOf} in other words, `column = 'a' or column = 'b'`, for tables that get rows with each page. For three values or more
 * after IN, SQLite fills a temporary table with them whenever a statement writes a row, which takes longer than the comparisons (decision 0144).
 */
export function equalsOneOf(column: AnySQLiteColumn | SQL, values: readonly string[]): SQL {
  return sql.join(
    values.map((value) => sql`${column} = ${sql.raw(`'${value}'`)}`),
    sql.raw(" or "),
  );
}

/** An amount that may not be negative. */
export function isNotNegative(column: AnySQLiteColumn): SQL {
  return sql`${column} >= 0`;
}

export function isBoolean(column: AnySQLiteColumn): SQL {
  return sql`${column} in (0, 1)`;
}
