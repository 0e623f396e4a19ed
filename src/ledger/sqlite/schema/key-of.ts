import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { integer } from "../engine/drizzle.ts";

/** A column that names a row of another table by its key. Never NULL. */
export const keyOf = (column: string, key: () => AnySQLiteColumn) => integer(column).notNull().references(key);
